-- Results, their runs, and what lists and history look up.
--
-- "results" holds only short columns, so that a list of 100,000 results reads about 30 MB and no documents.
-- A document is the JSON of the noun; columns beside it repeat what is searched and never say anything of their own.

CREATE TABLE results (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    measurement_id TEXT NOT NULL,
    created_at TEXT NOT NULL,           -- UTC, ISO 8601, always with microseconds: sorts as text
    tool TEXT NOT NULL,
    target_path TEXT NOT NULL,
    file_system TEXT,
    file_system_id TEXT,
    device_id TEXT,
    task_label TEXT NOT NULL,
    task_key TEXT NOT NULL,
    rate_bytes_per_s REAL,
    rate_low_bytes_per_s REAL,
    rate_high_bytes_per_s REAL,
    run_count INTEGER NOT NULL,
    verdict TEXT                        -- the worst of the checks
);

CREATE INDEX results_by_time ON results (created_at);
CREATE INDEX results_by_measurement ON results (measurement_id);
CREATE INDEX results_by_device ON results (device_id, task_key, created_at);
CREATE INDEX results_by_file_system ON results (file_system_id, task_key, created_at);
CREATE INDEX results_by_task ON results (task_key, created_at);
CREATE INDEX results_by_tool ON results (tool, created_at);

-- Everything of a result but its runs.
CREATE TABLE documents (
    result_number INTEGER PRIMARY KEY REFERENCES results (number) ON DELETE CASCADE,
    body TEXT NOT NULL
);

-- One row a run. Ticks, buckets and monitor series are left out of the body and kept compressed.
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    result_number INTEGER NOT NULL REFERENCES results (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,          -- place among the runs of the result, from 0
    task_index INTEGER NOT NULL,
    repeat_index INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    body TEXT NOT NULL,
    ticks BLOB NOT NULL,
    latency BLOB,
    flush_latency BLOB,
    monitor BLOB NOT NULL,
    UNIQUE (result_number, position)
);

CREATE TRIGGER runs_are_final BEFORE UPDATE ON runs
BEGIN
    SELECT RAISE(ABORT, 'a run is never altered');
END;
