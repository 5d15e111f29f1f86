#include "histogram.h"

void gc_histogram_merge(gc_histogram *into, const gc_histogram *from) {
    if (!from->ops_count) return;
    for (unsigned bucket = 0; bucket < GC_BUCKETS; bucket++) into->counts[bucket] += from->counts[bucket];
    if (!into->ops_count || from->min_ns < into->min_ns) into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns) into->max_ns = from->max_ns;
    into->overflow_count += from->overflow_count;
    into->sum_ns += from->sum_ns;
    into->ops_count += from->ops_count;
}
