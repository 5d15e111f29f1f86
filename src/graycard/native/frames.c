#include "frames.h"

#include "core.h"
#include "platform.h"

typedef struct {
    int fd;
    uint32_t operation;
    void *buffer;
    size_t bytes;
    uint64_t offset;
    uint64_t moment_ns;
    gc_move done;
} job;

static void wait_for(uint64_t moment_ns) {
    for (uint64_t now_ns = gc_clock_ns(); now_ns < moment_ns; now_ns = gc_clock_ns()) gc_sleep_ns(moment_ns - now_ns);
}

static void move(void *argument) {
    job *j = argument;
    gc_io io;
    int error = gc_io_open(&io, j->fd);
    wait_for(j->moment_ns);
    j->done.begin_ns = gc_clock_ns();
    if (error) j->done.moved = error;
    else if (j->operation == GC_WRITE) j->done.moved = gc_write_at(&io, j->buffer, j->bytes, j->offset);
    else j->done.moved = gc_read_at(&io, j->buffer, j->bytes, j->offset);
    j->done.end_ns = gc_clock_ns();
    if (!error) gc_io_close(&io);
}

gc_move gc_move_at(int fd, uint32_t operation, void *buffer, size_t bytes, uint64_t offset, uint64_t moment_ns) {
    job j = {.fd = fd, .operation = operation, .buffer = buffer, .bytes = bytes, .offset = offset,
             .moment_ns = moment_ns};
    gc_without_signals(move, &j);
    return j.done;
}
