-- Diagnoses of "graycard why" and "graycard watch", beside the results and told apart from them.
--
-- They have a table of their own: a diagnosis has no task and no runs, and no history or comparison is made of it. The
-- columns repeat the document, and lists read no more than these. Labels, notes and tags have its id as their subject.

CREATE TABLE diagnoses (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,           -- as in results
    command TEXT NOT NULL,              -- why or watch
    place TEXT NOT NULL,                -- the share, or the copy that was watched
    tool TEXT NOT NULL,
    action TEXT NOT NULL,
    layer TEXT NOT NULL,
    says TEXT NOT NULL,                 -- the answer in a sentence
    is_whole INTEGER NOT NULL,          -- 0 where it ended early
    rate_bytes_per_s REAL,              -- of the copy in question
    run_count INTEGER,
    text TEXT NOT NULL DEFAULT '',      -- what the search looks through, folded
    body BLOB NOT NULL                  -- the document, compressed
);

CREATE INDEX diagnoses_by_time ON diagnoses (created_at);

CREATE TRIGGER annotations_go_with_diagnoses AFTER DELETE ON diagnoses
BEGIN
    DELETE FROM labels WHERE subject = OLD.id;
    DELETE FROM notes WHERE subject = OLD.id;
    DELETE FROM tags WHERE subject = OLD.id;
END;
