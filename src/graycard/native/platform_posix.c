#if !defined(_WIN32)

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

uint64_t gc_clock_ns(void) {
#if defined(__APPLE__)
    /* CLOCK_MONOTONIC counts whole microseconds there; this one is mach_absolute_time, as Python reads it. */
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
    return read_clock(CLOCK_MONOTONIC);
#endif
}

uint64_t gc_thread_cpu_ns(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void gc_sleep_ns(uint64_t duration_ns) {
    struct timespec time = {(time_t)(duration_ns / 1000000000u), (long)(duration_ns % 1000000000u)};
    nanosleep(&time, NULL);
}

void gc_yield(void) { sched_yield(); }

/* Ordinary pages, as the programs have whose speed is asked for. Huge ones make 1 MiB one piece for the device instead
 * of 256: on a virtual disk that was 1.5 times the rate of 1 MiB reads, which no other program would see. */
void *gc_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    memset(memory, 0, bytes);
    return memory;
}

void gc_memory_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes);
}

void gc_gate_make(gc_gate *gate) {
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    gate->value = 0;
}

void gc_gate_unmake(gc_gate *gate) {
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

void gc_gate_raise(gc_gate *gate, uint32_t by) {
    pthread_mutex_lock(&gate->lock);
    gate->value += by;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

uint32_t gc_gate_wait(gc_gate *gate, uint32_t at_least) {
    pthread_mutex_lock(&gate->lock);
    while (gate->value < at_least) pthread_cond_wait(&gate->changed, &gate->lock);
    uint32_t value = gate->value;
    pthread_mutex_unlock(&gate->lock);
    return value;
}

typedef struct {
    void (*body)(void *);
    void *argument;
} start;

static void *started(void *memory) {
    start call = *(start *)memory;
    free(memory);
    call.body(call.argument);
    return NULL;
}

int gc_thread_start(gc_thread_id *thread, void (*body)(void *), void *argument) {
    start *call = malloc(sizeof *call);
    if (!call) return -ENOMEM;
    *call = (start){body, argument};
    int error = pthread_create(thread, NULL, started, call);
    if (error) free(call);
    return -error;
}

void gc_thread_join(gc_thread_id thread) { pthread_join(thread, NULL); }

void gc_without_signals(void (*body)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    body(argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int gc_io_open(gc_io *io, int fd) {
    io->fd = fd;
    return 0;
}

void gc_io_close(gc_io *io) { (void)io; }

int64_t gc_read_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    ssize_t moved = pread(io->fd, buffer, bytes, (off_t)offset);
    return moved < 0 ? -errno : moved;
}

int64_t gc_write_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    ssize_t moved = pwrite(io->fd, buffer, bytes, (off_t)offset);
    return moved < 0 ? -errno : moved;
}

int gc_flush(int fd) {
#if defined(__APPLE__)
    /* fsync leaves the data in the drive's cache there; a share that does not know F_FULLFSYNC gets fsync. */
    if (!fcntl(fd, F_FULLFSYNC)) return 0;
    if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return -errno;
#endif
    return fsync(fd) ? -errno : 0;
}

int gc_flush_data(int fd) {
#if defined(__APPLE__)
    return gc_flush(fd);
#else
    return fdatasync(fd) ? -errno : 0;
#endif
}

#if defined(__linux__)
#define LEAST_PIECE_BYTES (INT64_C(1) << 19)
#define MOST_PIECE_BYTES (INT64_C(64) << 20)
/* So many pieces are in flight, that the device is never idle: those are what a stop waits for. */
#define AHEAD_COUNT 4
/* A piece that took less had nothing to write, and tells nothing of the device. */
#define CLEAN_NS UINT64_C(50000)
#define SHORT_NS UINT64_C(12000000)
#define LONG_NS UINT64_C(50000000)

static int write_range(int fd, off_t begin, off_t bytes, unsigned waits) {
    return sync_file_range(fd, begin, bytes, SYNC_FILE_RANGE_WRITE | waits) ? -errno : 0;
}

static off_t next_piece(off_t piece, uint64_t took_ns) {
    if (took_ns > LONG_NS) return piece > LEAST_PIECE_BYTES ? piece / 2 : piece;
    return took_ns > CLEAN_NS && took_ns < SHORT_NS && piece < MOST_PIECE_BYTES ? piece * 2 : piece;
}

/* A fast device gets large pieces. An error is told here, and not again by the flush. */
static int write_pieces(int fd, off_t size, const _Atomic uint32_t *abandoned, _Atomic uint64_t *written_ns) {
    const unsigned waits = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
    off_t piece = LEAST_PIECE_BYTES, begun = 0, done = 0;
    int error = 0;
    while (!error && done < size && !gc_load(abandoned)) {
        off_t ahead = size - done < AHEAD_COUNT * piece ? size : done + AHEAD_COUNT * piece;
        if (ahead > begun) {
            error = write_range(fd, begun, ahead - begun, 0);
            begun = ahead;
        }
        off_t bytes = begun - done < piece ? begun - done : piece;
        uint64_t begin_ns = gc_clock_ns();
        if (!error) error = write_range(fd, done, bytes, waits);
        uint64_t end_ns = gc_clock_ns();
        gc_store(written_ns, end_ns);
        piece = next_piece(piece, end_ns - begin_ns);
        done += bytes;
    }
    return error;
}

int gc_write_back(int fd, const _Atomic uint32_t *abandoned, _Atomic uint64_t *written_ns) {
    struct stat info;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || flags & O_DIRECT || fstat(fd, &info)) return 0; /* past the cache, or the flush tells why not */
    int error = write_pieces(fd, info.st_size, abandoned, written_ns);
    bool unknown = error == -ENOSYS || error == -EINVAL || error == -ESPIPE || error == -EOPNOTSUPP;
    return unknown ? 0 : error;
}
#else
int gc_write_back(int fd, const _Atomic uint32_t *abandoned, _Atomic uint64_t *written_ns) {
    (void)fd, (void)abandoned, (void)written_ns;
    return 0;
}
#endif

int gc_close(int fd) { return close(fd) ? -errno : 0; }

#endif
