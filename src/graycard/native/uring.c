#if defined(__linux__)

#define _GNU_SOURCE
#include "uring.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From the best for one thread that submits and reaps to what every kernel knows; older ones say EINVAL. */
static const uint32_t FLAG_CHAIN[] = {
    URING_SETUP_CLAMP | URING_SETUP_SINGLE_ISSUER | URING_SETUP_DEFER_TASKRUN | URING_SETUP_COOP_TASKRUN |
        URING_SETUP_TASKRUN_FLAG,
    URING_SETUP_CLAMP | URING_SETUP_COOP_TASKRUN | URING_SETUP_TASKRUN_FLAG,
    URING_SETUP_CLAMP,
};

static int set_up(uint32_t entries, uring_params *params) {
    for (size_t step = 0; step < sizeof FLAG_CHAIN / sizeof *FLAG_CHAIN; step++) {
        memset(params, 0, sizeof *params);
        params->flags = FLAG_CHAIN[step];
        long fd = syscall(URING_CALL_SETUP, entries, params);
        if (fd >= 0) return (int)fd;
        if (errno != EINVAL) return -errno;
    }
    return -EINVAL;
}

static void *map(const gc_uring *ring, size_t bytes, int64_t offset) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

static void *at(const gc_uring *ring, uint32_t offset) { return (uint8_t *)ring->rings + offset; }

static void find_parts(gc_uring *ring, const uring_params *params) {
    const uring_sq_offsets *sq = &params->sq_offsets;
    const uring_cq_offsets *cq = &params->cq_offsets;
    ring->sq_tail = at(ring, sq->tail);
    ring->sq_flags = at(ring, sq->flags);
    ring->cq_head = at(ring, cq->head);
    ring->cq_tail = at(ring, cq->tail);
    ring->sq_mask = *(uint32_t *)at(ring, sq->ring_mask);
    ring->cq_mask = *(uint32_t *)at(ring, cq->ring_mask);
    ring->cqes = at(ring, cq->cqes);
    uint32_t *array = at(ring, sq->array);
    for (uint32_t entry = 0; entry < params->sq_entries; entry++) array[entry] = entry;
}

int gc_uring_open(gc_uring *ring, uint32_t entries) {
    uring_params params;
    memset(ring, 0, sizeof *ring);
    ring->fd = set_up(entries, &params);
    if (ring->fd < 0) return ring->fd;
    int error = -ENOSYS;
    if (params.sq_entries < entries || !(params.features & URING_FEAT_SINGLE_MMAP)) goto failed;
    ring->flags = params.flags;
    ring->timed_waits = params.features & URING_FEAT_EXT_ARG;
    size_t sq_bytes = params.sq_offsets.array + params.sq_entries * sizeof(uint32_t);
    size_t cq_bytes = params.cq_offsets.cqes + params.cq_entries * sizeof(uring_cqe);
    ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
    ring->sqes_bytes = params.sq_entries * sizeof(uring_sqe);
    error = -ENOMEM;
    ring->rings = map(ring, ring->rings_bytes, URING_OFFSET_RINGS);
    if (!ring->rings) goto failed;
    ring->sqes = map(ring, ring->sqes_bytes, URING_OFFSET_SQES);
    if (!ring->sqes) goto failed;
    find_parts(ring, &params);
    return 0;
failed:
    gc_uring_close(ring);
    return error;
}

void gc_uring_close(gc_uring *ring) {
    if (ring->sqes) munmap(ring->sqes, ring->sqes_bytes);
    if (ring->rings) munmap(ring->rings, ring->rings_bytes);
    if (ring->fd >= 0) close(ring->fd);
    ring->fd = -1;
}

int gc_uring_register(const gc_uring *ring, unsigned what, const void *argument, unsigned count) {
    return syscall(URING_CALL_REGISTER, ring->fd, what, argument, count) < 0 ? -errno : 0;
}

uring_sqe *gc_uring_next(gc_uring *ring) {
    uring_sqe *sqe = &ring->sqes[ring->sq_next++ & ring->sq_mask];
    ring->pending++;
    memset(sqe, 0, sizeof *sqe);
    return sqe;
}

int gc_uring_enter(gc_uring *ring, uint32_t wait_count, uint64_t limit_ns) {
    uring_timespec limit = {(int64_t)(limit_ns / 1000000000u), (int64_t)(limit_ns % 1000000000u)};
    uring_wait wait = {0, 0, 0, (uint64_t)(uintptr_t)&limit};
    unsigned flags = URING_ENTER_GETEVENTS | (limit_ns ? URING_ENTER_EXT_ARG : 0);
    if (ring->pending) atomic_store_explicit(ring->sq_tail, ring->sq_next, memory_order_release);
    long taken = syscall(URING_CALL_ENTER, ring->fd, ring->pending, wait_count, flags, limit_ns ? &wait : NULL,
                         limit_ns ? sizeof wait : 0);
    if (taken < 0) return -errno;
    ring->pending -= (uint32_t)taken;
    return 0;
}

bool gc_uring_withdraw(gc_uring *ring, uint64_t *user_data) {
    if (!ring->pending) return false;
    *user_data = ring->sqes[--ring->sq_next & ring->sq_mask].user_data;
    ring->pending--;
    atomic_store_explicit(ring->sq_tail, ring->sq_next, memory_order_release);
    return true;
}

bool gc_uring_empty(const gc_uring *ring) {
    uint32_t head = atomic_load_explicit(ring->cq_head, memory_order_relaxed);
    return head == atomic_load_explicit(ring->cq_tail, memory_order_relaxed);
}

bool gc_uring_due(const gc_uring *ring) {
    return !gc_uring_empty(ring) || (atomic_load_explicit(ring->sq_flags, memory_order_relaxed) & URING_SQ_TASKRUN);
}

#else

/* An empty translation unit is not allowed. */
typedef int gc_no_uring_here;

#endif
