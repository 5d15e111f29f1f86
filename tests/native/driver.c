/* The core without Python, for its tests and for the sanitizers: key=value in, key=value out.
 *
 *     driver run path=… direct=1 operation=1 …    fields of gc_config; peek=1 polls meanwhile, stop_ms=… abandons the run
 *     driver buckets                              low, bucket of low, bucket of the last value before the next low
 *     driver blocks workers random blocks key count               the order of blocks, lane by lane
 *     driver data seed run first count block      blocks of generated data on stdout
 *     driver moves path threads frames bytes      threads that write frames at their moments and read them back
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "frames.h"
#include "generator.h"
#include "platform.h"
#include "sequence.h"

typedef struct {
    gc_run *run;
    uint64_t stop_ms;
    _Atomic int over;
} watcher;

static void *watch(void *argument) {
    watcher *w = argument;
    uint64_t begin_ns = gc_clock_ns();
    while (!w->over) {
        gc_progress progress = gc_peek(w->run);
        if (w->stop_ms && progress.elapsed_ns && gc_clock_ns() - begin_ns > w->stop_ms * 1000000) gc_abandon(w->run);
        gc_sleep_ns(1000000);
    }
    return NULL;
}

static void print_histogram(const char *name, const gc_histogram *h) {
    if (!h) return;
    printf("%s_ops=%llu\n%s_sum_ns=%llu\n%s_min_ns=%llu\n%s_max_ns=%llu\n%s_overflow=%llu\n%s=", name,
           (unsigned long long)h->ops_count, name, (unsigned long long)h->sum_ns, name, (unsigned long long)h->min_ns,
           name, (unsigned long long)h->max_ns, name, (unsigned long long)h->overflow_count, name);
    for (unsigned bucket = 0; bucket < GC_BUCKETS; bucket++) {
        if (h->counts[bucket])
            printf("%llu:%llu,", (unsigned long long)gc_bucket_low(bucket), (unsigned long long)h->counts[bucket]);
    }
    printf("\n");
}

#define PRINT(field) printf(#field "=%llu\n", (unsigned long long)r.field)

static void print_result(gc_result r) {
    PRINT(engine), PRINT(setup), PRINT(elapsed_ns), PRINT(ops_count), PRINT(moved_bytes), PRINT(drain_ns);
    PRINT(flush_ns), PRINT(close_ns), PRINT(submit_ns), PRINT(cpu_ns), PRINT(reap_gap_ns), PRINT(late_count);
    PRINT(error_count), PRINT(error), PRINT(phase), PRINT(operation), PRINT(error_offset), PRINT(tick_ns);
    PRINT(overflow_ops), PRINT(overflow_bytes);
#ifdef GRAYCARD_TEST_OPS
    PRINT(busy_total_ns);
#endif
    printf("ticks=");
    for (uint64_t tick = 0; tick < r.tick_count; tick++)
        printf("%llu:%llu,", (unsigned long long)r.ticks[tick].ops_count, (unsigned long long)r.ticks[tick].moved_bytes);
    printf("\n");
    print_histogram("latency", r.latency);
    print_histogram("flush", r.flush_latency);
}

typedef struct {
    gc_config config;
    const char *path;
    uint64_t direct, peek, stop_ms;
#ifdef GRAYCARD_TEST_OPS
    uint32_t busy[256];
#endif
} request;

typedef struct {
    const char *name;
    size_t offset;
    size_t bytes;
} field;

#define FIELD(name) {#name, offsetof(request, config.name), sizeof(((request *)0)->config.name)}
#define OWN(name) {#name, offsetof(request, name), sizeof(((request *)0)->name)}

static const field FIELDS[] = {
    FIELD(version),     FIELD(operation),   FIELD(pattern),      FIELD(engine),     FIELD(durability), FIELD(may_write),
    FIELD(null_device), FIELD(account),     FIELD(depth_count),  FIELD(worker_count), FIELD(zero_bytes),
    FIELD(block_bytes), FIELD(span_bytes),  FIELD(time_ns),      FIELD(op_limit),   FIELD(seed),       FIELD(run_number),
    FIELD(tick_ns),     FIELD(period_ns),   FIELD(frame_ops),    FIELD(late_ns),    OWN(direct),       OWN(peek),
    OWN(stop_ms),
};

static void set_number(request *q, const field *f, uint64_t value) {
    uint32_t narrow = (uint32_t)value;
    memcpy((uint8_t *)q + f->offset, f->bytes == 4 ? (void *)&narrow : (void *)&value, f->bytes);
}

static int set(request *q, char *pair) {
    char *value = strchr(pair, '=');
    if (!value) return 0;
    *value++ = 0;
    if (!strcmp(pair, "path")) {
        q->path = value;
        return 1;
    }
#ifdef GRAYCARD_TEST_OPS
    if (!strcmp(pair, "busy")) {
        q->config.busy_ns = q->busy;
        for (char *part = strtok(value, ","); part; part = strtok(NULL, ","))
            q->busy[q->config.busy_count++] = (uint32_t)strtoul(part, NULL, 10);
        return 1;
    }
#endif
    for (size_t at = 0; at < sizeof FIELDS / sizeof *FIELDS; at++) {
        if (strcmp(pair, FIELDS[at].name)) continue;
        set_number(q, &FIELDS[at], strtoull(value, NULL, 10));
        return 1;
    }
    return 0;
}

static int open_path(const request *q) {
    int flags = q->config.operation == GC_WRITE ? O_RDWR : O_RDONLY;
    return q->path ? open(q->path, flags | O_CLOEXEC | (q->direct ? O_DIRECT : 0)) : -1;
}

static void execute(request *q, gc_run *run) {
    watcher w = {run, q->stop_ms, 0};
    pthread_t thread;
    int watched = (q->peek || q->stop_ms) && !pthread_create(&thread, NULL, watch, &w);
    gc_execute(run);
    w.over = 1;
    if (watched) pthread_join(thread, NULL);
    print_result(gc_outcome(run));
}

static int run(int count, char **pairs) {
    request q = {.config = {.version = GC_VERSION,
                            .fd = -1,
                            .durability = GC_FLUSH_AT_END,
                            .account = 1,
                            .depth_count = 1,
                            .worker_count = 1,
                            .block_bytes = 4096,
                            .span_bytes = 1 << 20,
                            .tick_ns = 10000000,
                            .frame_ops = 1,
                            .late_ns = 1000000}};
    for (int at = 0; at < count; at++) {
        if (!set(&q, pairs[at])) return fprintf(stderr, "what is %s?\n", pairs[at]), 2;
    }
    q.config.fd = open_path(&q);
    if (q.path && q.config.fd < 0) return perror(q.path), 2;
    int error;
    gc_run *prepared = gc_prepare(&q.config, &error);
    if (!prepared) return printf("refused=%d\n", error), 0;
    execute(&q, prepared);
    gc_release(prepared);
    return 0;
}

static int buckets(void) {
    for (unsigned bucket = 0; bucket < GC_BUCKETS; bucket++) {
        uint64_t next = bucket + 1 < GC_BUCKETS ? gc_bucket_low(bucket + 1) : UINT64_C(1) << GC_RANGE_BITS;
        printf("%llu %u %u\n", (unsigned long long)gc_bucket_low(bucket), gc_bucket(gc_bucket_low(bucket)),
               gc_bucket(next - 1));
    }
    return 0;
}

static int blocks(char **a) {
    uint32_t workers = (uint32_t)atoi(a[0]), random = (uint32_t)atoi(a[1]);
    uint64_t total = strtoull(a[2], NULL, 10), key = strtoull(a[3], NULL, 10), count = strtoull(a[4], NULL, 10);
    for (uint32_t index = 0; index < workers; index++) {
        gc_lane lane = {.first_block = gc_share_before(total, workers, index),
                        .block_count = gc_share(total, workers, index),
                        .key = gc_mix(key + index)};
        for (uint64_t number = 0; number < count; number++)
            printf("%llu ", (unsigned long long)(random ? gc_random_block(&lane, number)
                                                        : gc_sequential_block(&lane, number)));
        printf("\n");
    }
    return 0;
}

static int data(char **a) {
    uint64_t first = strtoull(a[2], NULL, 10), count = strtoull(a[3], NULL, 10), bytes = strtoull(a[4], NULL, 10);
    uint8_t *block = malloc(bytes);
    for (uint64_t serial = first; block && serial < first + count; serial++) {
        gc_generator generator;
        gc_generator_seed(&generator, strtoull(a[0], NULL, 10), strtoull(a[1], NULL, 10), serial);
        gc_generator_fill(&generator, block, bytes);
        if (fwrite(block, 1, bytes, stdout) != bytes) break;
    }
    free(block);
    return 0;
}

typedef struct {
    int fd;
    uint64_t first, frames, bytes, start_ns, wrong;
} mover;

static void *move_frames(void *argument) {
    mover *m = argument;
    uint8_t *buffer = malloc(m->bytes);
    for (uint64_t frame = 0; buffer && frame < 2 * m->frames; frame++) {
        uint32_t operation = frame < m->frames ? GC_WRITE : GC_READ;
        uint64_t number = m->first + frame % m->frames, moment_ns = m->start_ns + frame * 1000000;
        memset(buffer, operation == GC_WRITE ? (int)(number + 1) & 255 : 0, m->bytes);
        gc_move done = gc_move_at(m->fd, operation, buffer, m->bytes, number * m->bytes, moment_ns);
        bool whole = done.moved == (int64_t)m->bytes && buffer[m->bytes - 1] == ((number + 1) & 255);
        m->wrong += !whole || done.begin_ns < moment_ns || done.end_ns < done.begin_ns;
    }
    free(buffer);
    return NULL;
}

static int moves(char **a) {
    enum { MOST = 64 };
    pthread_t threads[MOST];
    mover movers[MOST];
    int fd = open(a[0], O_RDWR | O_CREAT, 0600), count = atoi(a[1]);
    uint64_t frames = strtoull(a[2], NULL, 10), wrong = 0;
    for (int index = 0; index < count && index < MOST; index++) {
        movers[index] = (mover){.fd = fd, .first = (uint64_t)index * frames, .frames = frames,
                                .bytes = strtoull(a[3], NULL, 10), .start_ns = gc_clock_ns() + 1000000};
        pthread_create(&threads[index], NULL, move_frames, &movers[index]);
    }
    for (int index = 0; index < count && index < MOST; index++) {
        pthread_join(threads[index], NULL);
        wrong += movers[index].wrong;
    }
    gc_move refused = gc_move_at(-1, GC_READ, movers, 1, 0, 0);
    printf("wrong=%llu\nrefused=%lld\n", (unsigned long long)wrong, (long long)refused.moved);
    return close(fd);
}

int main(int count, char **arguments) {
    const char *command = count > 1 ? arguments[1] : "";
    if (!strcmp(command, "run")) return run(count - 2, arguments + 2);
    if (!strcmp(command, "buckets")) return buckets();
    if (!strcmp(command, "blocks") && count == 7) return blocks(arguments + 2);
    if (!strcmp(command, "data") && count == 7) return data(arguments + 2);
    if (!strcmp(command, "moves") && count == 6) return moves(arguments + 2);
    return fprintf(stderr, "driver run|buckets|blocks|data|moves …\n"), 2;
}
