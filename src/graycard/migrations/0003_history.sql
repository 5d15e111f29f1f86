-- What a history reads, in one index: of every result the few figures of its own, and which others are of one set-up.
--
-- Both columns are made of those beside them, so that no document is read to come to this version.

ALTER TABLE results ADD COLUMN place_id TEXT;       -- the drive, or where that is not known the file system
ALTER TABLE results ADD COLUMN setup_key INTEGER;   -- equal for results that differ in nothing but when and how fast

-- Only what belongs into a history: no experiments, for they vary the set-up on purpose. `number` stands where the order
-- of results of one moment needs it; all that follows is there so that the table itself is not read.
CREATE INDEX results_by_history ON results (
    place_id, task_key, created_at, number,
    id, measurement_id, verdict, rate_bytes_per_s, rate_low_bytes_per_s, rate_high_bytes_per_s, setup_key, experiment_id
) WHERE place_id IS NOT NULL AND rate_bytes_per_s IS NOT NULL AND experiment_id IS NULL;
