/* A run from its start to its end; the engines in between are uring_issue.c and pool.c. */
#include "core.h"

#include <errno.h>

#include "run.h"

/* Several threads start together at a moment this far ahead for each of them, enough for all to be awake. */
#define START_AHEAD_NS UINT64_C(20000)

/* ---- errors ---- */

void gc_fail(gc_run *run, int error, uint32_t phase, uint32_t operation, uint64_t offset) {
    gc_add(&run->error_count, 1);
    if (!atomic_exchange(&run->failure.set, 1)) {
        run->failure.error = error;
        run->failure.phase = phase;
        run->failure.operation = operation;
        run->failure.offset = offset;
    }
    gc_store(&run->stop, 1);
}

int gc_short_reason(gc_thread *thread, void *buffer, int64_t moved, uint64_t offset) {
    const gc_run *run = thread->run;
    uint64_t done = (uint64_t)moved;
    size_t rest = (size_t)(run->config.block_bytes - done);
    int64_t more = run->table[run->config.operation](&thread->io, (uint8_t *)buffer + done, rest, offset + done);
    /* The rest of a direct transfer may be misaligned: EINVAL says nothing then. */
    return more < 0 && more != -EINVAL ? (int)-more : 0;
}

/* ---- slots of time ---- */

void gc_next_slot(gc_thread *thread, uint64_t now_ns) {
    gc_run *run = thread->run;
    bool fits = thread->tick_index < run->tick_room;
    gc_add(fits ? &run->ticks[2 * thread->tick_index] : &run->overflow_ops, thread->slot_ops);
    gc_add(fits ? &run->ticks[2 * thread->tick_index + 1] : &run->overflow_bytes, thread->slot_bytes);
    thread->slot_ops = thread->slot_bytes = 0;
    for (; now_ns >= thread->tick_end_ns; thread->tick_end_ns += run->tick_ns) thread->tick_index++;
}

/* ---- the run ---- */

static void set_up(gc_thread *thread) {
    gc_run *run = thread->run;
    thread->error = run->table[run->config.operation] ? -gc_io_open(&thread->io, run->config.fd) : EPERM;
    if (!thread->error) thread->error = run->engine == GC_URING ? gc_uring_setup(thread) : gc_pool_setup(thread);
}

static void take_down(gc_thread *thread) {
    if (thread->run->engine == GC_URING) gc_uring_takedown(thread);
    gc_io_close(&thread->io);
}

static void issue(gc_thread *thread) {
    gc_run *run = thread->run;
    uint64_t cpu_ns = gc_thread_cpu_ns();
    thread->tick_end_ns = gc_load(&run->start_ns) + run->tick_ns;
    if (run->engine == GC_URING) gc_uring_issue(thread);
    else gc_pool_issue(thread);
    gc_next_slot(thread, 0); /* the last one */
    thread->cpu_ns = gc_thread_cpu_ns() - cpu_ns;
}

static void sleep_until(uint64_t moment_ns) {
    uint64_t now_ns = gc_clock_ns();
    if (now_ns < moment_ns) gc_sleep_ns(moment_ns - now_ns);
}

/* A thread beside the calling one. */
static void live(void *argument) {
    gc_thread *thread = argument;
    gc_run *run = thread->run;
    set_up(thread);
    gc_gate_raise(&run->ready, 1);
    if (gc_gate_wait(&run->go, GC_GO) == GC_GO) {
        sleep_until(gc_load(&run->start_ns));
        issue(thread);
    }
    take_down(thread);
}

static void assign(gc_run *run, uint32_t engine) {
    const gc_config *config = &run->config;
    run->engine = engine;
    run->setup = 0;
    run->thread_count = engine == GC_URING ? config->worker_count : config->depth_count;
    gc_gate_make(&run->ready);
    gc_gate_make(&run->go);
    for (uint32_t index = 0; index < run->thread_count; index++) {
        gc_thread *thread = &run->threads[index];
        thread->run = run;
        thread->index = index;
        thread->lane = &run->lanes[index % config->worker_count];
    }
}

/* Starts all threads but the first, which is the calling one, and waits for their set-up; the first errno or 0. */
static int gather(gc_run *run, uint32_t *started) {
    set_up(&run->threads[0]);
    int error = run->threads[0].error;
    for (*started = 1; !error && *started < run->thread_count; ++*started) {
        gc_thread *thread = &run->threads[*started];
        error = -gc_thread_start(&thread->id, live, thread);
        if (error) break;
    }
    gc_gate_wait(&run->ready, *started - 1);
    for (uint32_t index = 1; index < *started && !error; index++) error = run->threads[index].error;
    return error;
}

static void join(gc_run *run, uint32_t started) {
    for (uint32_t index = 1; index < started; index++) gc_thread_join(run->threads[index].id);
    take_down(&run->threads[0]);
    gc_gate_unmake(&run->go);
    gc_gate_unmake(&run->ready);
}

static void start_and_issue(gc_run *run) {
    uint64_t start_ns = gc_clock_ns() + (run->thread_count - 1) * START_AHEAD_NS;
    gc_store(&run->start_ns, start_ns);
    gc_gate_raise(&run->go, GC_GO);
    sleep_until(start_ns);
    issue(&run->threads[0]);
}

/* Runs with this engine; an errno when it could not be set up, and then nothing was issued. */
static int attempt(gc_run *run, uint32_t engine) {
    uint32_t started;
    assign(run, engine);
    int error = gather(run, &started);
    bool fills = !error && engine == GC_POOL && run->config.operation == GC_WRITE;
    gc_thread_id filler;
    if (fills) fills = !gc_thread_start(&filler, gc_pool_fill, run);
    if (error) gc_gate_raise(&run->go, GC_GIVEN_UP);
    else start_and_issue(run);
    join(run, started);
    gc_store(&run->stop_filling, 1);
    if (fills) gc_thread_join(filler);
    return error;
}

static int choose_and_run(gc_run *run) {
    const gc_config *config = &run->config;
    /* A flush after every write is a blocking call for io_uring too, handed to a kernel thread: that hop would
     * be measured with it. A program that does this calls write and fdatasync, as the pool does. */
    bool flushes = config->operation == GC_WRITE && config->durability == GC_FLUSH_EACH_WRITE;
    bool uring = config->engine == GC_URING || (config->engine == GC_AUTO && !flushes && gc_uring_fits(run));
    int error = uring ? attempt(run, GC_URING) : ENOSYS;
    if (error && config->engine != GC_URING) error = attempt(run, GC_POOL);
    return error;
}

static void merge(gc_run *run) {
    gc_thread *first = &run->threads[0];
    uint64_t stop_ns = 0, end_ns = 0;
    for (uint32_t index = 0; index < run->thread_count; index++) {
        gc_thread *thread = &run->threads[index];
        if (thread->stop_ns > stop_ns) stop_ns = thread->stop_ns;
        if (thread->end_ns > end_ns) end_ns = thread->end_ns;
        if (!index) continue;
        gc_histogram_merge(&first->latency, &thread->latency);
        gc_histogram_merge(&first->flush_latency, &thread->flush_latency);
    }
    run->drain_ns = end_ns > stop_ns ? end_ns - stop_ns : 0;
}

static int flush(gc_run *run) {
    bool real = run->flush == gc_flush;
    int error = real ? gc_write_back(run->config.fd, &run->abandoned, &run->threads[0].last_ns) : 0;
    return error || gc_load(&run->abandoned) ? error : run->flush(run->config.fd);
}

static void flush_and_close(gc_run *run) {
    const gc_config *config = &run->config;
    uint64_t begin_ns = gc_clock_ns();
    bool flushes = config->operation == GC_WRITE && config->durability != GC_FLUSH_NEVER;
    if (gc_load(&run->stop)) flushes = false; /* stopped or failed: nobody waits for data that will be removed */
    int error = flushes ? flush(run) : 0;
    uint64_t flushed_ns = gc_clock_ns();
    if (error) gc_fail(run, -error, GC_PHASE_FLUSH, GC_FLUSH, 0);
    error = config->fd >= 0 ? gc_close(config->fd) : 0;
    run->config.fd = -1;
    run->end_ns = gc_clock_ns();
    if (error) gc_fail(run, -error, GC_PHASE_CLOSE, GC_CLOSE, 0);
    run->flush_ns = flushed_ns - begin_ns;
    run->close_ns = run->end_ns - flushed_ns;
}

static void run_to_the_end(void *argument) {
    gc_run *run = argument;
    int error = choose_and_run(run);
    if (error) gc_fail(run, error, GC_PHASE_PREPARE, run->config.operation, 0);
    else merge(run);
    flush_and_close(run);
}

void gc_execute(gc_run *run) { gc_without_signals(run_to_the_end, run); }
