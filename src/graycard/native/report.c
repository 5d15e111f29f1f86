/* What others may read of a run: how far it is, and how it went. */
#include "core.h"
#include "run.h"

void gc_stop(gc_run *run) { gc_store(&run->stop, 1); }

void gc_abandon(gc_run *run) {
    gc_store(&run->abandoned, 1);
    gc_stop(run);
}

gc_progress gc_peek(gc_run *run) {
    gc_progress progress = {0, 0, 0, 0};
    uint64_t start_ns = gc_load(&run->start_ns), now_ns = gc_clock_ns(), last_ns = start_ns;
    if (!start_ns || now_ns < start_ns) return progress;
    for (uint32_t index = 0; index < run->thread_room; index++) {
        gc_thread *thread = &run->threads[index];
        uint64_t thread_last_ns = gc_load(&thread->last_ns);
        progress.ops_count += gc_load(&thread->ops_count);
        progress.moved_bytes += gc_load(&thread->moved_bytes);
        if (thread_last_ns > last_ns) last_ns = thread_last_ns;
    }
    progress.elapsed_ns = now_ns - start_ns;
    progress.since_progress_ns = now_ns > last_ns ? now_ns - last_ns : 0;
    return progress;
}

static void add_threads(const gc_run *run, gc_result *result) {
    for (uint32_t index = 0; index < run->thread_count; index++) {
        gc_thread *thread = &run->threads[index];
        result->ops_count += gc_load(&thread->ops_count);
        result->moved_bytes += gc_load(&thread->moved_bytes);
        result->submit_ns += thread->submit_ns;
        result->cpu_ns += thread->cpu_ns;
        result->late_count += thread->late_count;
        if (thread->reap_gap_ns > result->reap_gap_ns) result->reap_gap_ns = thread->reap_gap_ns;
#ifdef GRAYCARD_TEST_OPS
        result->busy_total_ns += thread->busy_total_ns;
#endif
        uint64_t used = thread->tick_index + 1;
        if (used > run->tick_room) used = run->tick_room;
        if (used > result->tick_count) result->tick_count = used;
    }
}

static void add_failure(const gc_run *run, gc_result *result) {
    result->error_count = gc_load(&run->error_count);
    if (!result->error_count) return;
    result->error = run->failure.error;
    result->phase = run->failure.phase;
    result->operation = run->failure.operation;
    result->error_offset = run->failure.offset;
}

gc_result gc_outcome(const gc_run *run) {
    gc_result result = {0};
    const gc_config *config = &run->config;
    result.engine = run->engine;
    result.setup = run->setup;
    if (gc_load(&run->start_ns)) result.elapsed_ns = run->end_ns - gc_load(&run->start_ns);
    result.drain_ns = run->drain_ns;
    result.flush_ns = run->flush_ns;
    result.close_ns = run->close_ns;
    result.tick_ns = run->tick_ns;
    result.overflow_ops = gc_load(&run->overflow_ops);
    result.overflow_bytes = gc_load(&run->overflow_bytes);
    result.ticks = (const gc_tick *)run->ticks; /* the threads are gone: plain numbers again */
    result.latency = &run->threads[0].latency;
    bool flushes = config->operation == GC_WRITE && config->durability == GC_FLUSH_EACH_WRITE;
    result.flush_latency = flushes ? &run->threads[0].flush_latency : NULL;
    result.cpu_ns = run->fill_cpu_ns;
    add_threads(run, &result);
    add_failure(run, &result);
    return result;
}
