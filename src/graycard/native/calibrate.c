/* What the instrument itself can do: the steps and the cost of its clock, the rate of its data generator. */
#include "core.h"
#include "generator.h"
#include "platform.h"

#define CLOCK_READINGS 200000u
#define BLOCKS_BETWEEN_READINGS_BYTES (UINT64_C(4) << 20)

gc_clock_facts gc_measure_clock(void) {
    uint64_t begin_ns = gc_clock_ns(), before_ns = begin_ns, step_ns = UINT64_MAX;
    for (uint32_t reading = 1; reading < CLOCK_READINGS; reading++) {
        uint64_t now_ns = gc_clock_ns();
        if (now_ns > before_ns && now_ns - before_ns < step_ns) step_ns = now_ns - before_ns;
        before_ns = now_ns;
    }
    gc_clock_facts facts = {(double)step_ns, (double)(before_ns - begin_ns) / (CLOCK_READINGS - 1)};
    return facts;
}

double gc_measure_generator(uint64_t block_bytes, uint64_t time_ns) {
    uint8_t *block = gc_memory(block_bytes);
    if (!block) return 0;
    uint64_t blocks_a_look = BLOCKS_BETWEEN_READINGS_BYTES / block_bytes + 1;
    uint64_t begin_ns = gc_clock_ns(), now_ns = begin_ns, blocks = 0;
    while (now_ns - begin_ns < time_ns) {
        for (uint64_t end = blocks + blocks_a_look; blocks < end; blocks++) {
            gc_generator generator;
            gc_generator_seed(&generator, 0, 0, blocks);
            gc_generator_fill(&generator, block, block_bytes);
        }
        now_ns = gc_clock_ns();
    }
    gc_memory_free(block, block_bytes);
    return (double)blocks * (double)block_bytes * 1e9 / (double)(now_ns - begin_ns);
}
