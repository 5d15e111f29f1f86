/* The engine that runs everywhere: one thread for each request in flight, each with a blocking call. */
#include <errno.h>
#include <string.h>

#include "busy.h"
#include "run.h"

/* States of a write buffer. Threads take full ones; one thread fills empty ones meanwhile. */
enum { EMPTY = 0, FILLING = 1, FULL = 2, BUSY = 3 };

/* With nothing to fill the filling thread looks again after this; the spares last longer (core.c). */
#define FILL_LOOK_NS UINT64_C(50000)
/* A paced thread looks at least so often whether the run was stopped. */
#define STOP_LOOK_NS UINT64_C(50000000)

static bool change_state(gc_run *run, uint32_t buffer, uint32_t from, uint32_t to) {
    return atomic_compare_exchange_strong_explicit(&run->buffer_states[buffer], &from, to, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void set_state(gc_run *run, uint32_t buffer, uint32_t state) {
    atomic_store_explicit(&run->buffer_states[buffer], state, memory_order_release);
}

static void fill(gc_run *run, uint32_t buffer) {
    const gc_config *config = &run->config;
    gc_generator generator;
    gc_generator_seed(&generator, config->seed, config->run_number, gc_add(&run->serial, 1));
    gc_generator_fill(&generator, gc_buffer(run, buffer) + config->zero_bytes,
                      (size_t)config->block_bytes - config->zero_bytes);
}

/* Fills every empty buffer once; true when there was one. */
static bool fill_round(gc_run *run) {
    bool found = false;
    for (uint32_t buffer = 0; buffer < run->buffer_count && !gc_load(&run->stop_filling); buffer++) {
        if (!change_state(run, buffer, EMPTY, FILLING)) continue;
        fill(run, buffer);
        set_state(run, buffer, FULL);
        found = true;
    }
    return found;
}

void gc_pool_fill(void *argument) {
    gc_run *run = argument;
    while (!gc_load(&run->stop_filling)) {
        if (!fill_round(run)) gc_sleep_ns(FILL_LOOK_NS);
    }
    run->fill_cpu_ns = gc_thread_cpu_ns();
}

/* A full buffer of the spares; when the filling thread lags behind, one that this thread fills itself. There are
 * more buffers than threads, so one of the two is always found. */
static uint32_t take_buffer(gc_run *run, uint32_t first) {
    for (;;) {
        for (uint32_t step = 0; step < run->buffer_count; step++) {
            uint32_t buffer = (first + step) % run->buffer_count;
            if (change_state(run, buffer, FULL, BUSY)) return buffer;
        }
        for (uint32_t step = 0; step < run->buffer_count; step++) {
            uint32_t buffer = (first + step) % run->buffer_count;
            if (!change_state(run, buffer, EMPTY, BUSY)) continue;
            fill(run, buffer);
            return buffer;
        }
        gc_yield();
    }
}

int gc_pool_setup(gc_thread *thread) {
    gc_run *run = thread->run;
    if (run->config.operation == GC_WRITE && thread->index == 0) fill_round(run);
    return 0;
}

/* Paced: sleeps until the request is due; false when the run ends before. */
static bool wait_until_due(gc_thread *thread, uint64_t number, uint64_t end_ns, uint64_t *due_ns) {
    *due_ns = gc_due_ns(thread->run, thread->lane, number);
    if (*due_ns >= end_ns) return false;
    uint64_t now_ns = gc_clock_ns();
    while (now_ns < *due_ns && !gc_load(&thread->run->stop)) {
        uint64_t left_ns = *due_ns - now_ns;
        gc_sleep_ns(left_ns < STOP_LOOK_NS ? left_ns : STOP_LOOK_NS);
        now_ns = gc_clock_ns();
    }
    gc_note_late(thread, number, *due_ns, now_ns);
    return !gc_load(&thread->run->stop);
}

static int flush_write(gc_thread *thread, uint64_t offset) {
    gc_run *run = thread->run;
    uint64_t begin_ns = gc_clock_ns();
    int error = run->flush_data(run->config.fd);
    if (error) gc_fail(run, -error, GC_PHASE_MEASURE, GC_FLUSH, offset);
    else if (run->config.account) gc_histogram_record(&thread->flush_latency, gc_clock_ns() - begin_ns);
    return error;
}

/* One transfer and what belongs to it; true when it was carried out whole. */
static bool transfer(gc_thread *thread, uint8_t *buffer, uint64_t offset) {
    gc_run *run = thread->run;
    const gc_config *config = &run->config;
    gc_busy_wait(thread);
    int64_t moved = run->table[config->operation](&thread->io, buffer, (size_t)config->block_bytes, offset);
    if (moved != (int64_t)config->block_bytes) {
        int error = moved < 0 ? (int)-moved : gc_short_reason(thread, buffer, moved, offset);
        gc_fail(run, error, GC_PHASE_MEASURE, config->operation, offset);
        return false;
    }
    bool flushes = config->operation == GC_WRITE && config->durability == GC_FLUSH_EACH_WRITE;
    return !flushes || !flush_write(thread, offset);
}

static bool one_request(gc_thread *thread, uint64_t number, uint64_t end_ns) {
    gc_run *run = thread->run;
    const gc_config *config = &run->config;
    uint64_t begin_ns = 0;
    if (config->period_ns && !wait_until_due(thread, number, end_ns, &begin_ns)) return false;
    uint64_t offset = gc_offset(run, thread->lane, number);
    bool writes = config->operation == GC_WRITE;
    uint32_t buffer = writes ? take_buffer(run, thread->index) : thread->index;
    if (!config->period_ns && config->account) begin_ns = gc_clock_ns();
    bool whole = transfer(thread, gc_buffer(run, buffer), offset);
    uint64_t now_ns = config->account ? gc_clock_ns() : 0;
    if (writes) set_state(run, buffer, EMPTY);
    thread->end_ns = now_ns;
    if (!whole) return false;
    if (config->account) gc_histogram_record(&thread->latency, now_ns - begin_ns);
    gc_credit(thread, now_ns, 1, config->block_bytes);
    return true;
}

void gc_pool_issue(gc_thread *thread) {
    gc_run *run = thread->run;
    uint64_t end_ns = gc_end_ns(run);
    thread->end_ns = gc_load(&run->start_ns);
    while (!gc_load(&run->stop) && thread->end_ns < end_ns) {
        uint64_t number = gc_add(&thread->lane->next, 1);
        if (number >= thread->lane->limit || !one_request(thread, number, end_ns)) break;
    }
    thread->stop_ns = thread->end_ns;
}
