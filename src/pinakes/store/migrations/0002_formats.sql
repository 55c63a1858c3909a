-- Every format: places that are no pages, headers repeated above a table's rows, what was left out, where a
-- document came from, what it is about; and embedding models that a workspace brings itself.

-- place is null for a page, whose number stands in its own column, and where a format has no places.
ALTER TABLE chunk
    ADD place jsonb,
    ADD preface text NOT NULL DEFAULT '',
    ADD inside text;

ALTER TABLE document_version ADD remarks text[] NOT NULL DEFAULT '{{}}';

-- source is the address a document was fetched from, or the folder it is kept in step with.
ALTER TABLE document
    ADD summary text,
    ADD suggested_tags text[] NOT NULL DEFAULT '{{}}',
    ADD source text;
CREATE INDEX document_source ON document (workspace_id, kb_id, source) WHERE source IS NOT NULL;

-- Dimensions are asked for where they were given, and found out otherwise.
CREATE TABLE embedder (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    embedder_id   text NOT NULL,
    name          text NOT NULL,
    base_url      text NOT NULL,
    model         text NOT NULL,
    dims          integer NOT NULL CHECK (dims BETWEEN 1 AND 4000),
    dims_given    boolean NOT NULL DEFAULT false,
    max_tokens    integer NOT NULL,
    sealed_key    bytea,
    key_hint      text,
    created_by    text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, embedder_id)
);
CREATE UNIQUE INDEX embedder_name ON embedder (workspace_id, lower(name));
ALTER TABLE embedder ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON embedder
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON embedder TO {app_role};

-- Which installation this is: a store of originals belongs to one, or the sweep of another would empty it.
CREATE TABLE installation (
    installation_id  text PRIMARY KEY,
    only_one         boolean NOT NULL UNIQUE DEFAULT true CHECK (only_one)
);
INSERT INTO installation (installation_id) VALUES (gen_random_uuid()::text);
GRANT SELECT ON installation TO {app_role};
