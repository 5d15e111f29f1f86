/* What the parts of the core share about one run. Not for others: core.h is the border. */
#ifndef GRAYCARD_RUN_H
#define GRAYCARD_RUN_H

#include "core.h"
#include "generator.h"
#include "platform.h"
#include "sequence.h"

typedef int64_t (*gc_transfer)(gc_io *io, void *buffer, size_t bytes, uint64_t offset);

/* A thread that issues I/O: it owns one ring, or is one of the pool. Others read only the first cache line. */
typedef struct gc_thread {
    _Alignas(GC_CACHE_LINE) _Atomic uint64_t ops_count;
    _Atomic uint64_t moved_bytes;
    _Atomic uint64_t last_ns; /* of the last completion, or of the last piece written back; 0: none yet */

    _Alignas(GC_CACHE_LINE) gc_run *run;
    gc_lane *lane;
    gc_thread_id id;
    gc_io io;
    void *ring;
    uint32_t index;
    int error; /* of the set-up, an errno */
    uint64_t tick_index; /* slot of time it is in */
    uint64_t tick_end_ns;
    uint64_t slot_ops; /* its part of that slot, until the slot ends */
    uint64_t slot_bytes;
    uint64_t submit_ns;
    uint64_t cpu_ns;
    uint64_t reap_gap_ns;
    uint64_t late_count;
    uint64_t stop_ns; /* when it stopped issuing */
    uint64_t end_ns;  /* when its last request was done */
#ifdef GRAYCARD_TEST_OPS
    uint64_t busy_next;
    uint64_t busy_total_ns;
#endif
    gc_histogram latency;
    gc_histogram flush_latency;
} gc_thread;

/* The first error of the run; whoever sets `set` from 0 to 1 writes the rest. */
typedef struct gc_failure {
    _Atomic uint32_t set;
    int32_t error;
    uint32_t phase;
    uint32_t operation;
    uint64_t offset;
} gc_failure;

enum { GC_GO = 1, GC_GIVEN_UP = 2 };

struct gc_run {
    /* The shared block: written and read while the run goes on. */
    _Alignas(GC_CACHE_LINE) _Atomic uint32_t stop;
    _Atomic uint32_t abandoned; /* nobody wants the flush any more */
    _Atomic uint32_t stop_filling;
    _Atomic uint64_t start_ns; /* common start; 0: not yet */
    _Atomic uint64_t error_count;
    _Atomic uint64_t overflow_ops;
    _Atomic uint64_t overflow_bytes;
    _Atomic uint64_t serial; /* of the next block of data that the pool makes */
    gc_failure failure;
    gc_gate ready; /* threads that are set up */
    gc_gate go;    /* GC_GO, or more: GC_GIVEN_UP */

    /* Fixed before the start. */
    _Alignas(GC_CACHE_LINE) gc_config config;
    gc_transfer table[2]; /* by operation; NULL: not allowed */
    int (*flush)(int fd);
    int (*flush_data)(int fd);
    uint32_t engine;
    uint32_t setup;
    uint32_t thread_count; /* that issue I/O in this run */
    uint32_t thread_room;
    gc_thread *threads;
    gc_lane *lanes;
    _Atomic uint64_t *ticks; /* pairs: operations, bytes */
    uint64_t tick_room;
    uint64_t tick_ns;
    uint8_t *memory; /* the buffers */
    size_t memory_bytes;
    size_t stride_bytes; /* from one buffer to the next */
    uint32_t buffer_count;
    uint32_t spare_count; /* buffers of a lane beyond its depth: filled while others are in flight */
    _Atomic uint32_t *buffer_states; /* of the pool */

    /* The outcome. */
    uint64_t end_ns;
    uint64_t fill_cpu_ns; /* of the pool's filling thread */
    uint64_t drain_ns;
    uint64_t flush_ns;
    uint64_t close_ns;
};

/* Two engines, one shape: set up (an errno, or 0), issue until the end; what a ring holds is taken down. */
int gc_uring_setup(gc_thread *thread);
void gc_uring_issue(gc_thread *thread);
void gc_uring_takedown(gc_thread *thread);
/* Whether io_uring would carry out this run's requests asynchronously itself. */
bool gc_uring_fits(const gc_run *run);

int gc_pool_setup(gc_thread *thread);
void gc_pool_issue(gc_thread *thread);
/* Fills the pool's spare buffers while others write; runs in a thread of its own until `stop_filling`. */
void gc_pool_fill(void *run);

/* Records the first error of a run and stops it. `result` is what the call gave: -errno, or a short count. */
void gc_fail(gc_run *run, int error, uint32_t phase, uint32_t operation, uint64_t offset);
/* The errno behind a transfer of `moved` bytes that was short; 0 when the file simply ends there. */
int gc_short_reason(gc_thread *thread, void *buffer, int64_t moved, uint64_t offset);

static inline uint64_t gc_offset(const gc_run *run, const gc_lane *lane, uint64_t number) {
    uint64_t block = run->config.pattern == GC_RANDOM ? gc_random_block(lane, number) : gc_sequential_block(lane, number);
    return block * run->config.block_bytes;
}

/* Paced: when the frame of the lane's request `number` is due. The lanes take frames in turn. */
static inline uint64_t gc_due_ns(const gc_run *run, const gc_lane *lane, uint64_t number) {
    uint64_t frame = number / run->config.frame_ops * run->config.worker_count + lane->index;
    return gc_load(&run->start_ns) + frame * run->config.period_ns;
}

static inline void gc_note_late(gc_thread *thread, uint64_t number, uint64_t due_ns, uint64_t now_ns) {
    const gc_config *config = &thread->run->config;
    if (number % config->frame_ops == 0 && now_ns > due_ns + config->late_ns) thread->late_count++;
}

static inline uint64_t gc_end_ns(const gc_run *run) {
    return run->config.time_ns ? gc_load(&run->start_ns) + run->config.time_ns : UINT64_MAX;
}

/* Hands the thread's part of its slot of time over to the run's, and goes on to the slot of `now_ns`. */
void gc_next_slot(gc_thread *thread, uint64_t now_ns);

/* Credits operations that were seen complete at `now_ns` to the thread's counters and to the slot of time. */
static inline void gc_credit(gc_thread *thread, uint64_t now_ns, uint64_t ops, uint64_t bytes) {
    gc_store(&thread->ops_count, gc_load(&thread->ops_count) + ops);
    gc_store(&thread->moved_bytes, gc_load(&thread->moved_bytes) + bytes);
    if (!thread->run->config.account) return;
    gc_store(&thread->last_ns, now_ns);
    if (now_ns >= thread->tick_end_ns) gc_next_slot(thread, now_ns);
    thread->slot_ops += ops;
    thread->slot_bytes += bytes;
}

static inline uint8_t *gc_buffer(const gc_run *run, uint32_t buffer) {
    return run->memory + (size_t)buffer * run->stride_bytes;
}

#endif
