/* The test build's operations: busy-waits of known length instead of I/O, so that timing can be proved anywhere. */
#ifndef GRAYCARD_BUSY_H
#define GRAYCARD_BUSY_H

#include "run.h"

#ifdef GRAYCARD_TEST_OPS

static inline void gc_busy_wait(gc_thread *thread) {
    const gc_config *config = &thread->run->config;
    if (!config->busy_count) return;
    uint64_t begin_ns = gc_clock_ns(), now_ns = begin_ns;
    uint64_t end_ns = begin_ns + config->busy_ns[thread->busy_next++ % config->busy_count];
    while (now_ns < end_ns) now_ns = gc_clock_ns();
    thread->busy_total_ns += now_ns - begin_ns;
}

#else

static inline void gc_busy_wait(gc_thread *thread) { (void)thread; }

#endif

#endif
