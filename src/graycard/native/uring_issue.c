/* The engine that drives one io_uring per worker. One turn of its loop: refill, submit, make data, wait, reap. */
#if defined(__linux__)

#include <errno.h>

#include "busy.h"
#include "issuer.h"

/* Data made between two submissions, so that a device never idles for long while they are made. */
#define MADE_AT_ONCE_BYTES (256u << 10)
/* A spare buffer is filled in pieces (a few microseconds each), with a look for completions in between. */
#define PIECE_BYTES (16u << 10)
/* The kernel hands requests of one submission to the device together, at its end. A long submission lets the device
 * wait for its first request: on a virtual disk up to 64 at once cost 5 % of the rate, up to 4 nothing. */
#define SUBMITTED_AT_ONCE 4u
/* A paced wait ends at least so often to see whether the run was stopped. */
#define STOP_LOOK_NS UINT64_C(50000000)
/* The kernel may be short of memory for a moment; so many refusals in a row (1 ms apart) are an error. */
#define REFUSALS_IN_A_ROW 1000u

static uint64_t stamp(const gc_issuer *is) { return is->run->config.account ? gc_clock_ns() : 0; }

/* ---- data ---- */

void gc_issuer_fill(gc_issuer *is, size_t limit_bytes) {
    const gc_config *config = &is->run->config;
    if (is->filling == GC_NO_BUFFER) {
        is->filling = is->empty[--is->empty_count];
        is->filled_bytes = config->zero_bytes;
        gc_generator_seed(&is->generator, config->seed, config->run_number, is->serial++);
    }
    size_t piece = (size_t)config->block_bytes - is->filled_bytes;
    if (piece > limit_bytes) piece = limit_bytes;
    gc_generator_fill(&is->generator, gc_buffer(is->run, is->filling) + is->filled_bytes, piece);
    is->filled_bytes += piece;
    if (is->filled_bytes < config->block_bytes) return;
    is->filled[is->filled_count++] = is->filling;
    is->filling = GC_NO_BUFFER;
}

static uint32_t take_filled(gc_issuer *is) {
    while (!is->filled_count) gc_issuer_fill(is, SIZE_MAX);
    return is->filled[--is->filled_count];
}

static bool has_spare_to_fill(const gc_issuer *is) { return is->filling != GC_NO_BUFFER || is->empty_count; }

/* While all requests are in flight, until a completion is there. */
static void fill_spares(gc_issuer *is) {
    if (!has_spare_to_fill(is) || gc_uring_due(&is->uring)) return;
    while (has_spare_to_fill(is) && !gc_uring_due(&is->uring)) gc_issuer_fill(is, PIECE_BYTES);
    is->now_ns = stamp(is);
}

/* ---- issue ---- */

static void put_request(gc_issuer *is, uint32_t index) {
    const gc_slot *s = &is->slots[index];
    uring_sqe *sqe = gc_uring_next(&is->uring);
    sqe->opcode = is->opcode;
    sqe->user_data = index;
    if (is->opcode == URING_OP_NOP) return;
    sqe->flags = is->fixed_file ? URING_SQE_FIXED_FILE : 0;
    sqe->fd = is->fixed_file ? 0 : is->run->config.fd;
    sqe->offset = s->offset;
    sqe->address = (uint64_t)(uintptr_t)gc_buffer(is->run, s->buffer);
    sqe->bytes = (uint32_t)is->run->config.block_bytes;
    sqe->buffer_index = is->fixed_buffers ? (uint16_t)(s->buffer - is->first_buffer) : 0;
}

static void give_back(gc_issuer *is, uint32_t index) {
    is->free_slots[is->free_count++] = index;
    if (is->writes) is->empty[is->empty_count++] = is->slots[index].buffer;
}

static void stop(gc_issuer *is) {
    is->stopped = true;
    is->thread->stop_ns = is->now_ns;
}

/* Paced: is the lane's next request due? Counts a frame that starts late. */
static bool is_due(gc_issuer *is, uint64_t number, uint64_t *due_ns) {
    *due_ns = gc_due_ns(is->run, is->thread->lane, number);
    if (*due_ns >= is->end_ns) stop(is);
    if (is->stopped || *due_ns > is->now_ns) return false;
    gc_note_late(is->thread, number, *due_ns, is->now_ns);
    return true;
}

/* Puts new requests into free slots; true when more could be issued at once. */
static bool refill(gc_issuer *is) {
    gc_lane *lane = is->thread->lane;
    uint64_t made_bytes = 0;
    while (is->free_count) {
        if (is->queued_count == SUBMITTED_AT_ONCE) return true;
        uint64_t number = gc_load(&lane->next), due_ns = 0;
        if (number >= lane->limit) stop(is);
        if (is->stopped || (is->paced && !is_due(is, number, &due_ns))) return false;
        if (is->writes && !is->filled_count && made_bytes >= MADE_AT_ONCE_BYTES) return true;
        if (is->writes && !is->filled_count) made_bytes += is->run->config.block_bytes;
        gc_store(&lane->next, number + 1);
        uint32_t index = is->free_slots[--is->free_count];
        gc_slot *s = &is->slots[index];
        s->offset = gc_offset(is->run, lane, number);
        s->buffer = is->writes ? take_filled(is) : is->first_buffer + index;
        s->start_ns = due_ns;
        is->queued[is->queued_count++] = index;
        put_request(is, index);
    }
    return false;
}

static void stamp_queued(gc_issuer *is) {
    if (!is->paced) {
        for (uint32_t at = 0; at < is->queued_count; at++) is->slots[is->queued[at]].start_ns = is->now_ns;
    }
    is->queued_count = 0;
}

/* Takes requests back that the kernel will not have. */
static void withdraw(gc_issuer *is) {
    uint64_t index;
    while (gc_uring_withdraw(&is->uring, &index)) give_back(is, (uint32_t)index);
}

/* What the kernel says when it is busy, or when a wait ended early, is no error. */
static void enter(gc_issuer *is, uint32_t wait_count, uint64_t limit_ns) {
    int error = gc_uring_enter(&is->uring, wait_count, limit_ns);
    if (!error || error == -EINTR || error == -ETIME) {
        is->refusals = 0;
        return;
    }
    bool busy = error == -EAGAIN || error == -EBUSY;
    if (!busy || is->refusals++ == REFUSALS_IN_A_ROW) {
        gc_fail(is->run, -error, GC_PHASE_MEASURE, is->run->config.operation, 0);
        withdraw(is);
    }
    gc_sleep_ns(1000000);
}

static void note_gap(gc_issuer *is) {
    uint64_t gap_ns = is->now_ns - is->look_ns;
    if (gap_ns > is->thread->reap_gap_ns) is->thread->reap_gap_ns = gap_ns;
    is->look_ns = is->now_ns;
}

static void submit(gc_issuer *is) {
    bool in_flight = is->free_count + is->queued_count < is->depth;
    uint64_t before_ns = is->now_ns = stamp(is);
    stamp_queued(is);
    for (uint32_t at = 0; at < is->uring.pending; at++) gc_busy_wait(is->thread);
    enter(is, 0, 0);
    is->now_ns = stamp(is);
    is->thread->submit_ns += is->now_ns - before_ns;
    if (!in_flight) is->look_ns = before_ns;
    note_gap(is);
}

/* ---- reap ---- */

/* True when the request was carried out. */
static bool complete(gc_issuer *is, const uring_cqe *cqe) {
    uint32_t index = (uint32_t)cqe->user_data;
    const gc_slot *s = &is->slots[index];
    const gc_config *config = &is->run->config;
    int64_t expected = is->opcode == URING_OP_NOP ? 0 : (int64_t)config->block_bytes;
    if (cqe->result == expected) {
        if (config->account) gc_histogram_record(&is->thread->latency, is->now_ns - s->start_ns);
        give_back(is, index);
        return true;
    }
    if (!is->stopped && (cqe->result == -EAGAIN || cqe->result == -EINTR)) {
        put_request(is, index); /* again, with its first stamp */
        return false;
    }
    void *buffer = gc_buffer(is->run, s->buffer);
    int error = cqe->result < 0 ? -cqe->result : gc_short_reason(is->thread, buffer, cqe->result, s->offset);
    gc_fail(is->run, error, GC_PHASE_MEASURE, config->operation, s->offset);
    give_back(is, index);
    return false;
}

static void reap(gc_issuer *is) {
    gc_uring *uring = &is->uring;
    uint32_t head = atomic_load_explicit(uring->cq_head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(uring->cq_tail, memory_order_acquire);
    if (head == tail) return;
    uint64_t ops = 0;
    for (; head != tail; head++) ops += complete(is, &uring->cqes[head & uring->cq_mask]);
    atomic_store_explicit(uring->cq_head, head, memory_order_release);
    if (ops) gc_credit(is->thread, is->now_ns, ops, ops * is->run->config.block_bytes);
}

/* ---- wait ---- */

/* How long a wait may last: 0 without limit, for a load that has nothing to do until a completion comes. */
static uint64_t wait_limit_ns(const gc_issuer *is) {
    if (!is->paced || is->stopped || !is->free_count) return 0;
    uint64_t due_ns = gc_due_ns(is->run, is->thread->lane, gc_load(&is->thread->lane->next));
    uint64_t left_ns = due_ns > is->now_ns ? due_ns - is->now_ns : 1;
    return left_ns < STOP_LOOK_NS ? left_ns : STOP_LOOK_NS;
}

static void wait(gc_issuer *is) {
    note_gap(is);
    uint64_t limit_ns = wait_limit_ns(is);
    if (is->free_count == is->depth) gc_sleep_ns(limit_ns);
    else enter(is, 1, limit_ns);
    is->look_ns = is->now_ns = stamp(is);
}

static void look_for_the_end(gc_issuer *is) {
    if (!is->stopped && (gc_load(&is->run->stop) || is->now_ns >= is->end_ns)) stop(is);
}

void gc_uring_issue(gc_thread *thread) {
    gc_issuer *is = thread->ring;
    is->end_ns = gc_end_ns(is->run);
    is->look_ns = is->now_ns = stamp(is);
    for (;;) {
        look_for_the_end(is);
        bool more = is->stopped ? false : refill(is);
        if (is->uring.pending) submit(is);
        if (is->stopped && is->free_count == is->depth) break;
        if (is->writes && !more) fill_spares(is);
        if (!more && gc_uring_empty(&is->uring)) wait(is);
        reap(is);
    }
    thread->end_ns = is->now_ns;
}

#else

/* An empty translation unit is not allowed. */
typedef int gc_nothing_to_issue_here;

#endif
