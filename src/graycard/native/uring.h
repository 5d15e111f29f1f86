/* One io_uring, by system calls alone. Used by one thread. */
#ifndef GRAYCARD_URING_H
#define GRAYCARD_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uring_abi.h"

typedef struct gc_uring {
    int fd;
    uint32_t flags;   /* URING_SETUP_… that the kernel took */
    bool timed_waits; /* a wait may have a time limit */
    void *rings;
    size_t rings_bytes;
    uring_sqe *sqes;
    size_t sqes_bytes;
    _Atomic uint32_t *sq_tail, *sq_flags, *cq_head, *cq_tail;
    uint32_t sq_mask, cq_mask;
    uint32_t sq_next; /* where the next request goes; published by gc_uring_enter */
    uint32_t pending; /* requests not taken by the kernel yet */
    const uring_cqe *cqes;
} gc_uring;

/* Makes a ring of at least `entries`; -errno, or 0. */
int gc_uring_open(gc_uring *ring, uint32_t entries);
void gc_uring_close(gc_uring *ring);
int gc_uring_register(const gc_uring *ring, unsigned what, const void *argument, unsigned count);

/* A cleared request to fill in; there is always room for as many as the ring has entries. */
uring_sqe *gc_uring_next(gc_uring *ring);
/* Takes the last pending request back and gives its user data; false when none is pending. */
bool gc_uring_withdraw(gc_uring *ring, uint64_t *user_data);
/* Hands over what is pending and waits for `wait_count` completions, at most `limit_ns` (0: without limit).
 * -errno, or 0: then `pending` says what the kernel did not take. */
int gc_uring_enter(gc_uring *ring, uint32_t wait_count, uint64_t limit_ns);
/* No completion is there to be looked at. */
bool gc_uring_empty(const gc_uring *ring);
/* Completions are there, or will be after a call of the kernel. */
bool gc_uring_due(const gc_uring *ring);

#endif
