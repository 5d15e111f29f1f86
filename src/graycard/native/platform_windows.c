#if defined(_WIN32)

#include "platform.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

uint64_t gc_clock_ns(void) {
    LARGE_INTEGER count, per_second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&per_second);
    uint64_t ticks = (uint64_t)count.QuadPart, rate = (uint64_t)per_second.QuadPart;
    return ticks / rate * UINT64_C(1000000000) + ticks % rate * UINT64_C(1000000000) / rate;
}

uint64_t gc_thread_cpu_ns(void) {
    FILETIME created, exited, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &exited, &kernel, &user)) return 0;
    uint64_t in_kernel = (uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime;
    uint64_t in_user = (uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime;
    return (in_kernel + in_user) * 100u;
}

void gc_sleep_ns(uint64_t duration_ns) {
    /* Sleep() is as coarse as the system's tick (15.6 ms); a high-resolution timer (Windows 10 1803) is not. */
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, 0x2 /* HIGH_RESOLUTION */, TIMER_ALL_ACCESS);
    LARGE_INTEGER due;
    due.QuadPart = -(LONGLONG)(duration_ns / 100u + 1u);
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE)) WaitForSingleObject(timer, INFINITE);
    else Sleep((DWORD)(duration_ns / 1000000u + 1u));
    if (timer) CloseHandle(timer);
}

void gc_yield(void) { SwitchToThread(); }

void *gc_memory(size_t bytes) {
    void *memory = VirtualAlloc(NULL, bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void gc_memory_free(void *memory, size_t bytes) {
    (void)bytes;
    if (memory) VirtualFree(memory, 0, MEM_RELEASE);
}

_Static_assert(sizeof(SRWLOCK) == sizeof(void *) && sizeof(CONDITION_VARIABLE) == sizeof(void *), "gc_gate");

/* Both are made of zeros (SRWLOCK_INIT, CONDITION_VARIABLE_INIT) and need no unmaking. */
void gc_gate_make(gc_gate *gate) { memset(gate, 0, sizeof *gate); }

void gc_gate_unmake(gc_gate *gate) { (void)gate; }

void gc_gate_raise(gc_gate *gate, uint32_t by) {
    AcquireSRWLockExclusive((SRWLOCK *)&gate->lock);
    gate->value += by;
    ReleaseSRWLockExclusive((SRWLOCK *)&gate->lock);
    WakeAllConditionVariable((CONDITION_VARIABLE *)&gate->changed);
}

uint32_t gc_gate_wait(gc_gate *gate, uint32_t at_least) {
    AcquireSRWLockExclusive((SRWLOCK *)&gate->lock);
    while (gate->value < at_least)
        SleepConditionVariableSRW((CONDITION_VARIABLE *)&gate->changed, (SRWLOCK *)&gate->lock, INFINITE, 0);
    uint32_t value = gate->value;
    ReleaseSRWLockExclusive((SRWLOCK *)&gate->lock);
    return value;
}

typedef struct {
    void (*body)(void *);
    void *argument;
} start;

static DWORD WINAPI started(void *memory) {
    start call = *(start *)memory;
    free(memory);
    call.body(call.argument);
    return 0;
}

int gc_thread_start(gc_thread_id *thread, void (*body)(void *), void *argument) {
    start *call = malloc(sizeof *call);
    if (!call) return -ENOMEM;
    *call = (start){body, argument};
    *thread = CreateThread(NULL, 0, started, call, 0, NULL);
    if (*thread) return 0;
    free(call);
    return -EAGAIN;
}

void gc_thread_join(gc_thread_id thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

void gc_without_signals(void (*body)(void *), void *argument) { body(argument); }

int gc_io_open(gc_io *io, int fd) {
    io->fd = fd;
    io->handle = fd < 0 ? NULL : (void *)_get_osfhandle(fd);
    io->event = CreateEventW(NULL, TRUE, FALSE, NULL);
    return io->event ? 0 : -EAGAIN;
}

void gc_io_close(gc_io *io) {
    if (io->event) CloseHandle(io->event);
    io->event = NULL;
}

static int as_errno(DWORD error) {
    switch (error) {
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_WRITE_PROTECT: return EROFS;
    case ERROR_ACCESS_DENIED: return EACCES;
    case ERROR_LOCK_VIOLATION:
    case ERROR_SHARING_VIOLATION: return EBUSY;
    case ERROR_NOT_READY:
    case ERROR_DEVICE_NOT_CONNECTED:
    case ERROR_NO_SUCH_DEVICE: return ENODEV;
    case ERROR_NETNAME_DELETED:
    case ERROR_UNEXP_NET_ERR:
    case ERROR_BAD_NETPATH: return ENOTCONN;
    case ERROR_INVALID_PARAMETER: return EINVAL;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_NO_SYSTEM_RESOURCES: return ENOMEM;
    default: return EIO;
    }
}

/* Overlapped on the thread's own event: a handle opened with FILE_FLAG_OVERLAPPED serves all threads at once, one
 * opened without it serves them one by one. */
static int64_t finish(gc_io *io, OVERLAPPED *request, BOOL at_once) {
    DWORD moved = 0;
    DWORD error = at_once ? ERROR_SUCCESS : GetLastError();
    if (error == ERROR_SUCCESS || error == ERROR_IO_PENDING)
        error = GetOverlappedResult(io->handle, request, &moved, TRUE) ? ERROR_SUCCESS : GetLastError();
    if (error == ERROR_HANDLE_EOF) return 0;
    return error == ERROR_SUCCESS ? (int64_t)moved : -as_errno(error);
}

static OVERLAPPED request_at(const gc_io *io, uint64_t offset) {
    OVERLAPPED request;
    memset(&request, 0, sizeof request);
    request.Offset = (DWORD)(offset & 0xFFFFFFFFu);
    request.OffsetHigh = (DWORD)(offset >> 32);
    request.hEvent = io->event;
    return request;
}

int64_t gc_read_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    OVERLAPPED request = request_at(io, offset);
    return finish(io, &request, ReadFile(io->handle, buffer, (DWORD)bytes, NULL, &request));
}

int64_t gc_write_at(gc_io *io, void *buffer, size_t bytes, uint64_t offset) {
    OVERLAPPED request = request_at(io, offset);
    return finish(io, &request, WriteFile(io->handle, buffer, (DWORD)bytes, NULL, &request));
}

int gc_flush(int fd) {
    return FlushFileBuffers((HANDLE)_get_osfhandle(fd)) ? 0 : -as_errno(GetLastError());
}

int gc_flush_data(int fd) { return gc_flush(fd); }

int gc_write_back(int fd, const _Atomic uint32_t *abandoned, _Atomic uint64_t *written_ns) {
    (void)fd, (void)abandoned, (void)written_ns;
    return 0;
}

int gc_close(int fd) { return _close(fd) ? -errno : 0; }

#endif
