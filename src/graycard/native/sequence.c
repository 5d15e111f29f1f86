#include "sequence.h"

#include "generator.h"
#include "histogram.h"

/* Rounds of the Feistel network; four make a pseudo-random permutation (Luby and Rackoff, 1988), two more cost
 * little and help the smallest domains. */
#define ROUNDS 6

uint64_t gc_sequential_block(const gc_lane *lane, uint64_t number) {
    return lane->first_block + number % lane->block_count;
}

/* A permutation of the numbers below 2^bits: each round changes one part by a function of the other. */
static uint64_t permute(uint64_t value, unsigned bits, uint64_t key) {
    unsigned low_bits = bits / 2;
    uint64_t low_mask = (UINT64_C(1) << low_bits) - 1, high_mask = (UINT64_C(1) << (bits - low_bits)) - 1;
    uint64_t low = value & low_mask, high = value >> low_bits;
    for (unsigned round = 0; round < ROUNDS; round += 2) {
        uint64_t mixed = (low + key + round) * UINT64_C(0x9E3779B97F4A7C15);
        high ^= mixed >> 32 & high_mask;
        mixed = (high + key + round + 1) * UINT64_C(0xD1B54A32D192ED03);
        low ^= mixed >> 32 & low_mask;
    }
    return high << low_bits | low;
}

static unsigned bits_for(uint64_t count) { return count > 1 ? gc_highest_bit(count - 1) + 1 : 0; }

uint64_t gc_random_block(const gc_lane *lane, uint64_t number) {
    uint64_t pass = number / lane->block_count;
    uint64_t block = number % lane->block_count;
    uint64_t key = gc_mix(lane->key + pass);
    unsigned bits = bits_for(lane->block_count);
    /* Cycle walking (Black and Rogaway, 2002): what falls outside the range is permuted again; under two steps
     * on average, and every block comes exactly once in a pass. */
    do block = permute(block, bits, key);
    while (block >= lane->block_count);
    return lane->first_block + block;
}
