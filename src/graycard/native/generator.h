/* Data that neither compress nor repeat: xorshift128+ (Vigna, "Further scramblings of Marsaglia's xorshift
 * generators", 2017), eight streams side by side so that a compiler makes vector code of it. Every block has a
 * state of its own, derived by splitmix64 from (seed, run, serial number of the block): no two blocks are alike.
 */
#ifndef GRAYCARD_GENERATOR_H
#define GRAYCARD_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#define GC_STREAMS 8

typedef struct gc_generator {
    uint64_t first[GC_STREAMS];
    uint64_t second[GC_STREAMS];
} gc_generator;

/* splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): its finisher. */
static inline uint64_t gc_mix(uint64_t value) {
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

void gc_generator_seed(gc_generator *generator, uint64_t seed, uint64_t run, uint64_t serial);
/* Fills `bytes` at `out`, which lies on a multiple of 8. A block may be filled in pieces of a multiple of 64 bytes. */
void gc_generator_fill(gc_generator *generator, void *out, size_t bytes);

#endif
