-- Re-rankers that a workspace brings itself, and the one its searches use unless they name another.

CREATE TABLE reranker (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    reranker_id   text NOT NULL,
    name          text NOT NULL,
    style         text NOT NULL CHECK (style IN ('cohere', 'jina', 'tei')),
    base_url      text NOT NULL,
    model         text,
    seconds       double precision NOT NULL,
    hits          integer NOT NULL CHECK (hits BETWEEN 1 AND 100),
    raw_scores    boolean NOT NULL,
    slope         double precision NOT NULL CHECK (slope > 0),
    bias          double precision NOT NULL,
    sealed_key    bytea,
    key_hint      text,
    created_by    text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, reranker_id)
);
CREATE UNIQUE INDEX reranker_name ON reranker (workspace_id, lower(name));
ALTER TABLE reranker ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON reranker
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON reranker TO {app_role};

ALTER TABLE workspace
    ADD default_reranker_id text,
    ADD FOREIGN KEY (workspace_id, default_reranker_id) REFERENCES reranker
        ON DELETE SET NULL (default_reranker_id);
