/* What a run needs before it starts: a sound configuration, the table of calls, all its memory. */
#include <errno.h>

#include "run.h"

/* Spare data of all lanes together, and buffers of one lane: small blocks need some to outlast the filling
 * thread's sleep, large ones must not eat the memory. */
#define SPARE_BYTES (UINT64_C(8) << 20)
#define MOST_SPARES 64u
/* Slots of time cover the time limit and this much for draining and stalls; a run without one, an hour. */
#ifndef SLACK_NS
#define SLACK_NS (UINT64_C(120) * 1000000000u)
#endif
#define HORIZON_NS (UINT64_C(3600) * 1000000000u)
#define MOST_TICKS (UINT64_C(1) << 19)
#define PAGE_BYTES UINT64_C(4096)
/* Beyond these nothing sensible is asked, and no product below overflows. */
#define MOST_BLOCK_BYTES (UINT64_C(1) << 30)
#define MOST_DEPTH 4096u
#define MOST_BUFFER_BYTES (UINT64_C(4) << 30)

static uint64_t at_least(uint64_t value, uint64_t least) { return value < least ? least : value; }
static uint64_t at_most(uint64_t value, uint64_t most) { return value > most ? most : value; }

/* ---- null operations ---- */

/* A call of the kernel and a chance for other threads, which is the least that a blocking transfer costs. */
static int64_t null_transfer(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    (void)io, (void)buffer, (void)offset;
    gc_yield();
    return (int64_t)bytes;
}

#ifdef GRAYCARD_TEST_OPS
static int64_t no_transfer(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    (void)io, (void)buffer, (void)offset;
    return (int64_t)bytes;
}
#endif

static int null_flush(int fd) {
    (void)fd;
    return 0;
}

/* The second lock: a run that may not write has nothing that could. */
static void choose_calls(gc_run *run) {
    const gc_config *config = &run->config;
    bool null = config->null_device;
    gc_transfer instead = null_transfer;
#ifdef GRAYCARD_TEST_OPS
    if (config->busy_count) instead = no_transfer;
#endif
    run->table[GC_READ] = null ? instead : gc_read_at;
    run->table[GC_WRITE] = !config->may_write ? NULL : null ? instead : gc_write_at;
    run->flush = null || !config->may_write ? null_flush : gc_flush;
    run->flush_data = null || !config->may_write ? null_flush : gc_flush_data;
}

/* ---- preparation ---- */

static int judge(const gc_config *config) {
    if (config->version != GC_VERSION) return EINVAL;
    if (config->operation > GC_WRITE || config->pattern > GC_RANDOM || config->engine > GC_POOL) return EINVAL;
    if (config->operation == GC_WRITE && !config->may_write) return EPERM;
    if (config->fd < 0 && !config->null_device) return EBADF;
    if (!config->block_bytes || config->block_bytes > MOST_BLOCK_BYTES) return EINVAL;
    if (config->zero_bytes > config->block_bytes || !config->tick_ns) return EINVAL;
    if (!config->worker_count || config->worker_count > config->depth_count) return EINVAL;
    if (config->depth_count > MOST_DEPTH) return EINVAL;
    if (config->depth_count * config->block_bytes > MOST_BUFFER_BYTES) return EINVAL;
    if (config->span_bytes / config->block_bytes < config->worker_count) return EINVAL;
    if (!config->time_ns && !config->op_limit) return EINVAL;
    if (config->time_ns > UINT64_MAX / 4 || (config->period_ns && !config->frame_ops)) return EINVAL;
    if (!config->account && (config->time_ns || config->period_ns)) return EINVAL;
    return 0;
}

static void size_ticks(gc_run *run) {
    uint64_t horizon_ns = run->config.time_ns ? run->config.time_ns + SLACK_NS : HORIZON_NS;
    run->tick_ns = run->config.tick_ns;
    while (horizon_ns / run->tick_ns >= MOST_TICKS) run->tick_ns *= 2;
    run->tick_room = horizon_ns / run->tick_ns + 1;
}

static void size_buffers(gc_run *run) {
    const gc_config *config = &run->config;
    if (config->operation == GC_WRITE) {
        uint64_t spares = SPARE_BYTES / config->worker_count / config->block_bytes;
        run->spare_count = (uint32_t)at_most(at_least(spares, 1), MOST_SPARES);
    }
    run->buffer_count = config->depth_count + config->worker_count * run->spare_count;
    run->stride_bytes = (size_t)((config->block_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    run->memory_bytes = run->stride_bytes * run->buffer_count;
}

static bool allocate(gc_run *run) {
    const gc_config *config = &run->config;
    size_ticks(run);
    size_buffers(run);
    run->thread_room = config->depth_count;
    run->threads = gc_memory(run->thread_room * sizeof *run->threads);
    run->lanes = gc_memory(config->worker_count * sizeof *run->lanes);
    run->ticks = gc_memory(2 * run->tick_room * sizeof *run->ticks);
    run->buffer_states = gc_memory(run->buffer_count * sizeof *run->buffer_states);
    run->memory = gc_memory(run->memory_bytes);
    return run->threads && run->lanes && run->ticks && run->buffer_states && run->memory;
}

static void release_memory(gc_run *run) {
    gc_memory_free(run->memory, run->memory_bytes);
    gc_memory_free(run->buffer_states, run->buffer_count * sizeof *run->buffer_states);
    gc_memory_free(run->ticks, 2 * run->tick_room * sizeof *run->ticks);
    gc_memory_free(run->lanes, run->config.worker_count * sizeof *run->lanes);
    gc_memory_free(run->threads, run->thread_room * sizeof *run->threads);
    gc_memory_free(run, sizeof *run);
}

static void deal_lanes(gc_run *run) {
    const gc_config *config = &run->config;
    uint64_t blocks = config->span_bytes / config->block_bytes;
    uint64_t limit = config->op_limit ? config->op_limit : UINT64_MAX;
    for (uint32_t index = 0; index < config->worker_count; index++) {
        gc_lane *lane = &run->lanes[index];
        lane->index = index;
        lane->first_block = gc_share_before(blocks, config->worker_count, index);
        lane->block_count = gc_share(blocks, config->worker_count, index);
        lane->depth_count = (uint32_t)gc_share(config->depth_count, config->worker_count, index);
        lane->limit = config->op_limit ? gc_share(limit, config->worker_count, index) : limit;
        lane->key = gc_mix(gc_mix(config->seed) ^ gc_mix(config->run_number + 1)) + gc_mix(index + 1);
    }
}

gc_run *gc_prepare(const gc_config *config, int *error) {
    *error = judge(config);
    if (*error) return NULL;
    gc_run *run = gc_memory(sizeof *run);
    *error = ENOMEM;
    if (!run) return NULL;
    run->config = *config;
    if (!allocate(run)) {
        release_memory(run);
        return NULL;
    }
    choose_calls(run);
    deal_lanes(run);
    *error = 0;
    return run;
}

void gc_release(gc_run *run) {
    if (!run) return;
    if (run->config.fd >= 0) gc_close(run->config.fd);
    release_memory(run);
}
