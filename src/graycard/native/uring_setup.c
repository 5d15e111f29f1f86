/* Whether a run suits io_uring, and what one ring's thread needs before it starts. */
#if defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "issuer.h"

#define RWF_NOWAIT_FLAG 8

bool gc_uring_fits(const gc_run *run) {
    if (run->config.null_device) return true;
    /* What cannot be done without waiting, the kernel hands to worker threads: at most four per processor for
     * reads, one for all writes of a file. The depth would be false. So: direct I/O, on a file system that knows
     * RWF_NOWAIT (EOPNOTSUPP tells, before anything is read; the place is far behind the end of every file). */
    int flags = fcntl(run->config.fd, F_GETFL);
    if (flags < 0 || !(flags & O_DIRECT)) return false;
    struct iovec part = {run->memory, 4096};
    uint64_t place = UINT64_C(1) << 62;
    long moved = syscall(SYS_preadv2, run->config.fd, &part, 1, (long)place, (long)(place >> 32), RWF_NOWAIT_FLAG);
    return moved >= 0 || errno == EAGAIN;
}

static void register_what_it_takes(gc_issuer *is, struct iovec *parts, uint32_t buffer_count) {
    const gc_run *run = is->run;
    if (run->config.null_device) return;
    for (uint32_t buffer = 0; buffer < buffer_count; buffer++) {
        parts[buffer].iov_base = gc_buffer(run, is->first_buffer + buffer);
        parts[buffer].iov_len = run->config.block_bytes;
    }
    is->fixed_file = !gc_uring_register(&is->uring, URING_REGISTER_FILES, &run->config.fd, 1);
    is->fixed_buffers = !gc_uring_register(&is->uring, URING_REGISTER_BUFFERS, parts, buffer_count);
}

static uint8_t choose_opcode(const gc_issuer *is) {
    if (is->run->config.null_device) return URING_OP_NOP;
    if (is->writes) return is->fixed_buffers ? URING_OP_WRITE_FIXED : URING_OP_WRITE;
    return is->fixed_buffers ? URING_OP_READ_FIXED : URING_OP_READ;
}

static bool make_lists(gc_issuer *is, uint32_t buffer_count) {
    is->slots = calloc(is->depth, sizeof *is->slots);
    is->lists = calloc(2 * (size_t)is->depth + 2 * (size_t)buffer_count, sizeof *is->lists);
    if (!is->slots || !is->lists) return false;
    is->free_slots = is->lists;
    is->queued = is->free_slots + is->depth;
    is->filled = is->queued + is->depth;
    is->empty = is->filled + buffer_count;
    for (uint32_t index = is->depth; index-- > 0;) is->free_slots[is->free_count++] = index;
    for (uint32_t at = 0; is->writes && at < buffer_count; at++) is->empty[is->empty_count++] = is->first_buffer + at;
    return true;
}

static void report_setup(const gc_issuer *is) {
    gc_run *run = is->run;
    run->setup = (is->uring.flags & URING_SETUP_DEFER_TASKRUN ? GC_SETUP_DEFER : 0u) |
                 (is->uring.flags & URING_SETUP_COOP_TASKRUN ? GC_SETUP_COOP : 0u) |
                 (is->fixed_file ? GC_SETUP_FILE : 0u) | (is->fixed_buffers ? GC_SETUP_BUFFERS : 0u);
}

static int open_ring(gc_issuer *is) {
    const gc_lane *lane = is->thread->lane;
    const gc_run *run = is->run;
    uint32_t buffer_count = is->depth + run->spare_count;
    is->first_buffer = (uint32_t)gc_share_before(run->config.depth_count, run->config.worker_count, lane->index) +
                       lane->index * run->spare_count;
    int error = gc_uring_open(&is->uring, is->depth);
    if (error) return -error;
    if (is->paced && !is->uring.timed_waits) return ENOSYS;
    struct iovec *parts = calloc(buffer_count, sizeof *parts);
    if (!parts || !make_lists(is, buffer_count)) {
        free(parts);
        return ENOMEM;
    }
    register_what_it_takes(is, parts, buffer_count);
    free(parts);
    is->opcode = choose_opcode(is);
    if (lane->index == 0) report_setup(is);
    while (is->empty_count) gc_issuer_fill(is, SIZE_MAX);
    return 0;
}

int gc_uring_setup(gc_thread *thread) {
    gc_run *run = thread->run;
    gc_issuer *is = calloc(1, sizeof *is);
    if (!is) return ENOMEM;
    thread->ring = is;
    is->thread = thread;
    is->run = run;
    is->uring.fd = -1;
    is->writes = run->config.operation == GC_WRITE;
    is->paced = run->config.period_ns > 0;
    is->depth = thread->lane->depth_count;
    is->filling = GC_NO_BUFFER;
    is->serial = (uint64_t)thread->index << 48; /* no two rings make the same block */
    return open_ring(is);
}

void gc_uring_takedown(gc_thread *thread) {
    gc_issuer *is = thread->ring;
    if (!is) return;
    /* The kernel takes a ring down later, on its own; what it holds of ours has to go now. */
    if (is->fixed_buffers) gc_uring_register(&is->uring, URING_UNREGISTER_BUFFERS, NULL, 0);
    if (is->fixed_file) gc_uring_register(&is->uring, URING_UNREGISTER_FILES, NULL, 0);
    gc_uring_close(&is->uring);
    free(is->slots);
    free(is->lists);
    free(is);
    thread->ring = NULL;
}

#else

#include <errno.h>

#include "run.h"

bool gc_uring_fits(const gc_run *run) {
    (void)run;
    return false;
}

int gc_uring_setup(gc_thread *thread) {
    (void)thread;
    return ENOSYS;
}

void gc_uring_issue(gc_thread *thread) { (void)thread; }

void gc_uring_takedown(gc_thread *thread) { (void)thread; }

#endif
