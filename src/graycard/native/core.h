/* The C core of graycard: issues I/O, reads the clock, counts, fills buffers. Nothing else.
 *
 * It never opens a path, parses an option, prints, allocates after the start, computes a statistic or calls
 * Python. The order of calls:
 *
 *     gc_prepare    copies the configuration, takes the descriptor over, allocates and touches all memory
 *     gc_execute    runs in one thread until the run has ended: issue, drain, flush, close
 *     gc_peek       any other thread, any time: how far it is
 *     gc_stop       any other thread, any time: issue nothing more
 *     gc_abandon    the same, and do not wait for the flush
 *     gc_outcome    after gc_execute has returned
 *     gc_release    after gc_execute has returned, or without it; closes the descriptor if that has not happened
 */
#ifndef GRAYCARD_CORE_H
#define GRAYCARD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/* Raised with every change of gc_config or gc_result; gc_prepare refuses any other. */
#define GC_VERSION 1u

enum { GC_READ = 0, GC_WRITE = 1, GC_FLUSH = 2, GC_CLOSE = 3 };
enum { GC_SEQUENTIAL = 0, GC_RANDOM = 1 };
enum { GC_AUTO = 0, GC_URING = 1, GC_POOL = 2 };
enum { GC_FLUSH_NEVER = 0, GC_FLUSH_AT_END = 1, GC_FLUSH_EACH_WRITE = 2 };

/* Bits of gc_result.setup: how the rings were set up. */
enum { GC_SETUP_DEFER = 1, GC_SETUP_COOP = 2, GC_SETUP_FILE = 4, GC_SETUP_BUFFERS = 8 };

/* gc_result.phase: where a run failed. */
enum { GC_PHASE_NONE = 0, GC_PHASE_PREPARE = 1, GC_PHASE_MEASURE = 2, GC_PHASE_FLUSH = 3, GC_PHASE_CLOSE = 4 };

typedef struct gc_config {
    uint32_t version;       /* GC_VERSION */
    int32_t fd;             /* a regular file; the run owns it and closes it; -1 with `null_device` */
    uint32_t operation;     /* GC_READ or GC_WRITE */
    uint32_t pattern;       /* GC_SEQUENTIAL or GC_RANDOM */
    uint32_t engine;        /* GC_AUTO, or one that must be used */
    uint32_t durability;    /* GC_FLUSH_… ; reads never flush */
    uint32_t may_write;     /* 0: there is no write operation in the table */
    uint32_t null_device;   /* 1: null operations through the same loop, for the instrument's own ceiling */
    uint32_t account;       /* 0: no stamps, histogram and ticks (what does accounting cost?); needs op_limit */
    uint32_t depth_count;   /* requests in flight in all */
    uint32_t worker_count;  /* rings, or disjoint ranges of the pool */
    uint32_t zero_bytes;    /* of each written block this leading part is zeros */
    uint64_t block_bytes;
    uint64_t span_bytes;    /* whole blocks of it are touched */
    uint64_t time_ns;       /* issue until then; 0: no limit */
    uint64_t op_limit;      /* issue so many; 0: no limit */
    uint64_t seed;          /* of offsets and data */
    uint64_t run_number;    /* with the seed: other data and other offsets in every run */
    uint64_t tick_ns;       /* width of a slot; doubled until the slots cover the run (gc_result.tick_ns) */
    uint64_t period_ns;     /* paced: a frame is due every so often; 0: not paced */
    uint64_t frame_ops;     /* paced: requests in a frame */
    uint64_t late_ns;       /* paced: a frame that starts later than this after it was due counts as late */
#ifdef GRAYCARD_TEST_OPS
    const uint32_t *busy_ns; /* every operation is a busy-wait of the next of these lengths, around and around */
    uint64_t busy_count;
#endif
} gc_config;

typedef struct gc_tick {
    uint64_t ops_count;
    uint64_t moved_bytes;
} gc_tick;

typedef struct gc_progress {
    uint64_t elapsed_ns;
    uint64_t ops_count;
    uint64_t moved_bytes;
    uint64_t since_progress_ns;
} gc_progress;

typedef struct gc_result {
    uint32_t engine;         /* GC_URING or GC_POOL: the one that ran */
    uint32_t setup;          /* GC_SETUP_… */
    uint64_t elapsed_ns;     /* from the common start to the end of close */
    uint64_t ops_count;
    uint64_t moved_bytes;
    uint64_t drain_ns;       /* from the last moment a request could be issued to the last completion */
    uint64_t flush_ns;
    uint64_t close_ns;
    uint64_t submit_ns;      /* io_uring: inside the call that submits */
    uint64_t cpu_ns;         /* of the I/O threads, from start to drain */
    uint64_t reap_gap_ns;    /* io_uring: longest time between two looks for completions with I/O in flight */
    uint64_t late_count;
    uint64_t error_count;
    int32_t error;           /* errno of the first error; 0 with error_count > 0: the transfer was short */
    uint32_t phase;          /* GC_PHASE_… of the first error */
    uint32_t operation;      /* GC_READ … of the first error */
    uint64_t error_offset;
    uint64_t tick_ns;
    uint64_t tick_count;     /* slots up to the last completion */
    uint64_t overflow_ops;   /* completed after the last slot */
    uint64_t overflow_bytes;
    const gc_tick *ticks;
    const gc_histogram *latency;
    const gc_histogram *flush_latency; /* NULL unless GC_FLUSH_EACH_WRITE */
#ifdef GRAYCARD_TEST_OPS
    uint64_t busy_total_ns;  /* what the busy-waits took by themselves: the witness */
#endif
} gc_result;

typedef struct gc_run gc_run;

/* NULL and *error (an errno) when the configuration is not sound or memory is short; the caller keeps the
 * descriptor then. */
gc_run *gc_prepare(const gc_config *config, int *error);
void gc_execute(gc_run *run);
void gc_stop(gc_run *run);
/* The same, and wait no more for the flush: what was written will be removed. */
void gc_abandon(gc_run *run);
gc_progress gc_peek(gc_run *run);
gc_result gc_outcome(const gc_run *run);
void gc_release(gc_run *run);

typedef struct gc_clock_facts {
    double step_ns; /* smallest step seen */
    double cost_ns; /* mean cost of a reading */
} gc_clock_facts;

gc_clock_facts gc_measure_clock(void);
/* Bytes per second of the data generator over blocks of `block_bytes`, measured for about `time_ns`; 0 without memory. */
double gc_measure_generator(uint64_t block_bytes, uint64_t time_ns);

#endif
