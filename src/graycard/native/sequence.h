/* Which block comes next: disjoint ranges of blocks, each walked in order or in a full-period random order. */
#ifndef GRAYCARD_SEQUENCE_H
#define GRAYCARD_SEQUENCE_H

#include <stdint.h>

#include "platform.h"

/* One range with its own counter of requests. One ring takes from it, or several threads of the pool. */
typedef struct gc_lane {
    _Alignas(GC_CACHE_LINE) _Atomic uint64_t next; /* number of the next request */
    uint64_t limit;                                 /* requests to issue in all */
    uint64_t first_block;
    uint64_t block_count;
    uint64_t key; /* of the random order */
    uint32_t index;
    uint32_t depth_count; /* requests in flight on this lane */
} gc_lane;

/* The part of `total` that the `index`-th of `count` gets when it is dealt evenly, the rest to the first ones. */
static inline uint64_t gc_share(uint64_t total, uint32_t count, uint32_t index) {
    return total / count + (index < total % count ? 1u : 0u);
}

/* What those before it got in all. */
static inline uint64_t gc_share_before(uint64_t total, uint32_t count, uint32_t index) {
    uint64_t rest = total % count;
    return total / count * index + (index < rest ? index : rest);
}

/* The block of the lane's request `number`: after the range's end it starts again, in another random order. */
uint64_t gc_sequential_block(const gc_lane *lane, uint64_t number);
uint64_t gc_random_block(const gc_lane *lane, uint64_t number);

#endif
