/* The part of the io_uring system interface that is used here. Numbers and layouts are the kernel's ABI (they never
 * change); written down here so that a build needs no kernel headers of a certain age. */
#ifndef GRAYCARD_URING_ABI_H
#define GRAYCARD_URING_ABI_H

#include <stdint.h>

enum { URING_CALL_SETUP = 425, URING_CALL_ENTER = 426, URING_CALL_REGISTER = 427 };

enum { URING_OP_NOP = 0, URING_OP_READ_FIXED = 4, URING_OP_WRITE_FIXED = 5, URING_OP_READ = 22, URING_OP_WRITE = 23 };

#define URING_SQE_FIXED_FILE (1u << 0)

#define URING_SETUP_CLAMP (1u << 4)
#define URING_SETUP_COOP_TASKRUN (1u << 8)   /* 5.19 */
#define URING_SETUP_TASKRUN_FLAG (1u << 9)   /* 5.19 */
#define URING_SETUP_SINGLE_ISSUER (1u << 12) /* 6.0 */
#define URING_SETUP_DEFER_TASKRUN (1u << 13) /* 6.1 */

#define URING_FEAT_SINGLE_MMAP (1u << 0) /* 5.4 */
#define URING_FEAT_EXT_ARG (1u << 8)     /* 5.11 */

#define URING_ENTER_GETEVENTS (1u << 0)
#define URING_ENTER_EXT_ARG (1u << 3)

#define URING_SQ_TASKRUN (1u << 2)

enum {
    URING_REGISTER_BUFFERS = 0,
    URING_UNREGISTER_BUFFERS = 1,
    URING_REGISTER_FILES = 2,
    URING_UNREGISTER_FILES = 3
};

#define URING_OFFSET_RINGS INT64_C(0)
#define URING_OFFSET_SQES INT64_C(0x10000000)

typedef struct uring_sqe {
    uint8_t opcode;
    uint8_t flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t offset;
    uint64_t address;
    uint32_t bytes;
    uint32_t rw_flags;
    uint64_t user_data;
    uint16_t buffer_index;
    uint16_t personality;
    int32_t file_index;
    uint64_t unused[2];
} uring_sqe;

typedef struct uring_cqe {
    uint64_t user_data;
    int32_t result;
    uint32_t flags;
} uring_cqe;

typedef struct uring_sq_offsets {
    uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array, unused1;
    uint64_t unused2;
} uring_sq_offsets;

typedef struct uring_cq_offsets {
    uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, flags, unused1;
    uint64_t unused2;
} uring_cq_offsets;

typedef struct uring_params {
    uint32_t sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features, wq_fd, unused[3];
    uring_sq_offsets sq_offsets;
    uring_cq_offsets cq_offsets;
} uring_params;

typedef struct uring_timespec {
    int64_t seconds;
    int64_t nanoseconds;
} uring_timespec;

typedef struct uring_wait {
    uint64_t signal_mask;
    uint32_t signal_mask_bytes;
    uint32_t unused;
    uint64_t timespec;
} uring_wait;

#endif
