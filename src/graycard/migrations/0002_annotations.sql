-- Columns for history and compare, what people write beside results, experiments, and the words of the search.
--
-- The new columns repeat the documents, too: graycard fills them for the results that are there when it comes to this
-- version. A subject is the id of a measurement or of one result.

ALTER TABLE results ADD COLUMN experiment_id TEXT;
ALTER TABLE results ADD COLUMN configuration TEXT;
ALTER TABLE results ADD COLUMN engine TEXT;
ALTER TABLE results ADD COLUMN tool_version TEXT;
ALTER TABLE results ADD COLUMN engine_settings TEXT;
ALTER TABLE results ADD COLUMN span_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN time_ns INTEGER;
ALTER TABLE results ADD COLUMN os_name TEXT;
ALTER TABLE results ADD COLUMN kernel_version TEXT;
ALTER TABLE results ADD COLUMN cpu_model TEXT;
ALTER TABLE results ADD COLUMN device_name TEXT;
ALTER TABLE results ADD COLUMN device_model TEXT;
ALTER TABLE results ADD COLUMN bus TEXT;
ALTER TABLE results ADD COLUMN link_bits_per_s REAL;
ALTER TABLE results ADD COLUMN protocol_version TEXT;
ALTER TABLE results ADD COLUMN allocation_unit_bytes REAL;
ALTER TABLE results ADD COLUMN mount_options TEXT;
ALTER TABLE results ADD COLUMN compression TEXT;
ALTER TABLE results ADD COLUMN encryption TEXT;

CREATE INDEX results_by_experiment ON results (experiment_id, configuration, task_key);

-- A label names one subject, and a subject has one label.
CREATE TABLE labels (
    label TEXT PRIMARY KEY,
    subject TEXT NOT NULL UNIQUE
) WITHOUT ROWID;

CREATE TABLE notes (
    number INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (subject, note)
);

CREATE TABLE tags (
    subject TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (subject, tag)
) WITHOUT ROWID;

CREATE INDEX tags_by_tag ON tags (tag, subject);

-- Annotations go with the last result that they are about.
CREATE TRIGGER annotations_go_with_results AFTER DELETE ON results
BEGIN
    DELETE FROM labels WHERE subject = OLD.id;
    DELETE FROM notes WHERE subject = OLD.id;
    DELETE FROM tags WHERE subject = OLD.id;
    DELETE FROM labels WHERE subject = OLD.measurement_id
        AND NOT EXISTS (SELECT 1 FROM results WHERE measurement_id = OLD.measurement_id);
    DELETE FROM notes WHERE subject = OLD.measurement_id
        AND NOT EXISTS (SELECT 1 FROM results WHERE measurement_id = OLD.measurement_id);
    DELETE FROM tags WHERE subject = OLD.measurement_id
        AND NOT EXISTS (SELECT 1 FROM results WHERE measurement_id = OLD.measurement_id);
END;

-- What the search looks through, folded: columns of the result, and the annotations of it and of its measurement.
CREATE TABLE texts (
    result_number INTEGER PRIMARY KEY REFERENCES results (number) ON DELETE CASCADE,
    text TEXT NOT NULL
);

-- The store knows no more of an experiment than this; the body belongs to whoever runs it.
CREATE TABLE experiments (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    body BLOB NOT NULL
);

CREATE INDEX experiments_by_name ON experiments (name);
