/* One transfer by the calling thread, for streams of frames: waits for its moment, moves, and stamps both ends.
 *
 * The stamps are taken here, beside the call, so that whoever waits for Python's lock afterwards does not blur them.
 */
#ifndef GRAYCARD_FRAMES_H
#define GRAYCARD_FRAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct gc_move {
    int64_t moved; /* bytes, or -errno */
    uint64_t begin_ns;
    uint64_t end_ns;
} gc_move;

/* `operation` is GC_READ or GC_WRITE; a `moment_ns` that has passed (0) is now. */
gc_move gc_move_at(int fd, uint32_t operation, void *buffer, size_t bytes, uint64_t offset, uint64_t moment_ns);

#endif
