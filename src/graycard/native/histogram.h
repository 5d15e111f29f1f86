/* A log-linear histogram of nanoseconds, as HdrHistogram and fio use it.
 *
 * Values below 2^7 have a bucket each. Above, every power of two is cut into 2^7 buckets of equal width: with m the
 * highest set bit a bucket is 2^(m-7) wide and starts at 2^m or higher. A value read as low · (1 + 1/256) is off
 * by at most half a bucket at its start: 2^(m-8) / 2^m = 1/256 = 0.39 % (tests/native recompute it for every bucket).
 * The last bucket ends at 2^36 ns = 68.7 s; longer ones are counted apart. Sum, least and greatest are exact.
 */
#ifndef GRAYCARD_HISTOGRAM_H
#define GRAYCARD_HISTOGRAM_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#define GC_MANTISSA_BITS 7u
#define GC_RANGE_BITS 36u
#define GC_BUCKETS ((GC_RANGE_BITS - GC_MANTISSA_BITS + 1u) << GC_MANTISSA_BITS)
#define GC_ERROR_RATIO (1.0 / (2u << GC_MANTISSA_BITS))

typedef struct gc_histogram {
    uint64_t counts[GC_BUCKETS];
    uint64_t overflow_count;
    uint64_t sum_ns;
    uint64_t min_ns; /* meaningless while ops_count is 0 */
    uint64_t max_ns;
    uint64_t ops_count;
} gc_histogram;

static inline unsigned gc_highest_bit(uint64_t value) {
#if defined(_MSC_VER)
    unsigned long bit;
    _BitScanReverse64(&bit, value);
    return (unsigned)bit;
#else
    return 63u - (unsigned)__builtin_clzll(value);
#endif
}

/* The bucket of a value below 2^GC_RANGE_BITS. */
static inline unsigned gc_bucket(uint64_t value_ns) {
    if (value_ns < (1u << GC_MANTISSA_BITS)) return (unsigned)value_ns;
    unsigned shift = gc_highest_bit(value_ns) - GC_MANTISSA_BITS;
    return (shift << GC_MANTISSA_BITS) + (unsigned)(value_ns >> shift);
}

/* The least value that falls into the bucket. */
static inline uint64_t gc_bucket_low(unsigned bucket) {
    if (bucket < (2u << GC_MANTISSA_BITS)) return bucket;
    unsigned shift = (bucket >> GC_MANTISSA_BITS) - 1u;
    return (uint64_t)(bucket - (shift << GC_MANTISSA_BITS)) << shift;
}

static inline void gc_histogram_record(gc_histogram *histogram, uint64_t value_ns) {
    if (value_ns >> GC_RANGE_BITS) histogram->overflow_count++;
    else histogram->counts[gc_bucket(value_ns)]++;
    if (value_ns > histogram->max_ns) histogram->max_ns = value_ns;
    if (!histogram->ops_count || value_ns < histogram->min_ns) histogram->min_ns = value_ns;
    histogram->sum_ns += value_ns;
    histogram->ops_count++;
}

void gc_histogram_merge(gc_histogram *into, const gc_histogram *from);

#endif
