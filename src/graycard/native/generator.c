#include "generator.h"

#include <string.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define ROUND_BYTES (GC_STREAMS * sizeof(uint64_t))

void gc_generator_seed(gc_generator *generator, uint64_t seed, uint64_t run, uint64_t serial) {
    uint64_t state = gc_mix(gc_mix(gc_mix(seed + GOLDEN) ^ (run + GOLDEN)) ^ serial);
    for (int stream = 0; stream < GC_STREAMS; stream++) {
        generator->first[stream] = gc_mix(state += GOLDEN);
        generator->second[stream] = gc_mix(state += GOLDEN) | 1; /* a state of zeros would stay zeros */
    }
}

static void next_round(uint64_t *restrict first, uint64_t *restrict second, uint64_t *restrict out) {
    for (int stream = 0; stream < GC_STREAMS; stream++) {
        uint64_t moving = first[stream];
        uint64_t staying = second[stream];
        out[stream] = moving + staying;
        moving ^= moving << 23;
        first[stream] = staying;
        second[stream] = moving ^ staying ^ (moving >> 18) ^ (staying >> 5);
    }
}

void gc_generator_fill(gc_generator *generator, void *out, size_t bytes) {
    gc_generator state = *generator; /* a copy cannot overlap the output: the compiler may keep it in registers */
    uint64_t *at = out;
    size_t rounds = bytes / ROUND_BYTES;
    for (size_t round = 0; round < rounds; round++, at += GC_STREAMS) next_round(state.first, state.second, at);
    size_t rest = bytes % ROUND_BYTES;
    if (rest) {
        uint64_t last[GC_STREAMS];
        next_round(state.first, state.second, last);
        memcpy(at, last, rest);
    }
    *generator = state;
}
