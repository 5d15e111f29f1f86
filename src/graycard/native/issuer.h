/* What one ring's thread works with; shared by uring_setup.c and uring_issue.c alone. */
#ifndef GRAYCARD_ISSUER_H
#define GRAYCARD_ISSUER_H

#include "run.h"
#include "uring.h"

#define GC_NO_BUFFER UINT32_MAX

typedef struct gc_slot {
    uint64_t start_ns;
    uint64_t offset;
    uint32_t buffer;
} gc_slot;

typedef struct gc_issuer {
    gc_uring uring;
    gc_thread *thread;
    gc_run *run;
    bool writes;
    bool paced;
    bool stopped;
    bool fixed_file;
    bool fixed_buffers;
    uint8_t opcode;
    uint32_t depth;
    uint32_t first_buffer; /* of the run's buffers this ring uses its own part */
    uint32_t free_count, filled_count, empty_count, queued_count;
    uint32_t *lists, *free_slots, *filled, *empty, *queued;
    gc_slot *slots;
    uint32_t filling; /* a buffer that is filled in part, or GC_NO_BUFFER */
    size_t filled_bytes;
    uint64_t serial;
    gc_generator generator;
    uint64_t end_ns;
    uint64_t now_ns;  /* last reading of the clock */
    uint64_t look_ns; /* last look for completions */
    uint32_t refusals;
} gc_issuer;

/* Fills a piece of the buffer in work, or of an empty one; a complete one joins the filled ones. */
void gc_issuer_fill(gc_issuer *is, size_t limit_bytes);

#endif
