/* What differs between operating systems, and nothing more. Calls that fail give -errno. */
#ifndef GRAYCARD_PLATFORM_H
#define GRAYCARD_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
typedef void *gc_thread_id;
typedef struct gc_gate {
    void *lock;    /* SRWLOCK */
    void *changed; /* CONDITION_VARIABLE */
    uint32_t value;
} gc_gate;
#else
#include <pthread.h>
typedef pthread_t gc_thread_id;
typedef struct gc_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t value;
} gc_gate;
#endif

#define GC_CACHE_LINE 64

#define gc_load(place) atomic_load_explicit((place), memory_order_relaxed)
#define gc_store(place, value) atomic_store_explicit((place), (value), memory_order_relaxed)
#define gc_add(place, value) atomic_fetch_add_explicit((place), (value), memory_order_relaxed)

/* A descriptor as one thread uses it. */
typedef struct gc_io {
    int fd;
#if defined(_WIN32)
    void *handle;
    void *event; /* overlapped requests of this thread report here */
#endif
} gc_io;

/* The clock that times everything: monotonic, in nanoseconds. */
uint64_t gc_clock_ns(void);
/* Processor time of the calling thread. */
uint64_t gc_thread_cpu_ns(void);
void gc_sleep_ns(uint64_t duration_ns);
/* A system call that lets another thread run. */
void gc_yield(void);

/* Zeroed memory on a page boundary, every page touched; NULL when there is none. */
void *gc_memory(size_t bytes);
void gc_memory_free(void *memory, size_t bytes);

/* A number that only grows, and that threads wait for; it starts at 0. */
void gc_gate_make(gc_gate *gate);
void gc_gate_unmake(gc_gate *gate);
void gc_gate_raise(gc_gate *gate, uint32_t by);
/* Waits until it is at least that, and gives it. */
uint32_t gc_gate_wait(gc_gate *gate, uint32_t at_least);

int gc_thread_start(gc_thread_id *thread, void (*body)(void *), void *argument);
void gc_thread_join(gc_thread_id thread);
/* Calls `body` with signals held back, in this thread and in those that it starts: they belong to Python's threads,
 * and a call of ours must not end with EINTR for them. */
void gc_without_signals(void (*body)(void *), void *argument);

int gc_io_open(gc_io *io, int fd);
void gc_io_close(gc_io *io);
int64_t gc_read_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset);
int64_t gc_write_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset);
/* Everything written so far is to be on the medium: fsync, F_FULLFSYNC, FlushFileBuffers. */
int gc_flush(int fd);
/* The same for the data alone, where the system makes that difference: fdatasync. */
int gc_flush_data(int fd);
/* The cached pages of the file to the medium, in order, as a flush of all would do it, but in pieces, until `abandoned`:
 * one flush cannot be cut short. `written_ns` is when the last piece was done. Where a system has no such call nothing is
 * done, and the flush does it. */
int gc_write_back(int fd, const _Atomic uint32_t *abandoned, _Atomic uint64_t *written_ns);
int gc_close(int fd);

#endif
