-- The spine: people, workspaces, knowledge bases, documents, chunks and their indexes.
-- Every tenant table begins its keys with workspace_id and hides other workspaces' rows by policy;
-- the global tables are listed in store/tenancy.py.

CREATE EXTENSION IF NOT EXISTS vector;

-- People and how they sign in (global: looked up before a workspace is known) --------------------

CREATE TABLE app_user (
    user_id     text PRIMARY KEY,
    name        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE user_session (
    token_hash  bytea PRIMARY KEY,
    user_id     text NOT NULL REFERENCES app_user ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX user_session_user ON user_session (user_id);

-- A link signs in an existing user (user_id) or lets whoever opens it join a workspace (the other three).
CREATE TABLE sign_in_link (
    token_hash    bytea PRIMARY KEY,
    user_id       text REFERENCES app_user ON DELETE CASCADE,
    workspace_id  text,
    role          text,
    name          text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    used_at       timestamptz,
    CHECK ((user_id IS NULL) = (workspace_id IS NOT NULL AND role IS NOT NULL AND name IS NOT NULL))
);
CREATE INDEX sign_in_link_workspace ON sign_in_link (workspace_id);

-- Workspaces -------------------------------------------------------------------------------------

CREATE TABLE workspace (
    workspace_id  text PRIMARY KEY,
    name          text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE sign_in_link ADD FOREIGN KEY (workspace_id) REFERENCES workspace ON DELETE CASCADE;

CREATE TABLE member (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id       text NOT NULL REFERENCES app_user ON DELETE CASCADE,
    role          text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX member_user ON member (user_id);

CREATE TABLE api_key (
    workspace_id  text NOT NULL,
    key_id        text NOT NULL,
    user_id       text NOT NULL,
    name          text NOT NULL,
    secret_hash   bytea NOT NULL,
    hint          text NOT NULL,
    scopes        text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz,
    revoked_at    timestamptz,
    last_used_at  timestamptz,
    PRIMARY KEY (workspace_id, key_id),
    UNIQUE (workspace_id, secret_hash),
    FOREIGN KEY (workspace_id, user_id) REFERENCES member ON DELETE CASCADE
);

-- Knowledge bases and their index generations ----------------------------------------------------

CREATE TABLE knowledge_base (
    workspace_id     text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    kb_id            text NOT NULL,
    slug             text NOT NULL,
    name             text NOT NULL,
    description      text NOT NULL DEFAULT '',
    lifecycle_days   integer NOT NULL DEFAULT 0 CHECK (lifecycle_days >= 0),
    built_in         boolean NOT NULL DEFAULT false,
    active_index_id  text NOT NULL,
    created_by       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, kb_id),
    UNIQUE (workspace_id, slug)
);
CREATE UNIQUE INDEX knowledge_base_name ON knowledge_base (workspace_id, lower(name));

-- dims is null where the generation has keywords only.
CREATE TABLE kb_index (
    workspace_id      text NOT NULL,
    index_id          text NOT NULL,
    kb_id             text NOT NULL,
    embedder          text NOT NULL,
    dims              integer CHECK (dims BETWEEN 1 AND 4000),
    analyser_version  integer NOT NULL,
    avgdl_ref         real NOT NULL,
    calibration       jsonb NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, index_id),
    FOREIGN KEY (workspace_id, kb_id) REFERENCES knowledge_base ON DELETE CASCADE
);
CREATE INDEX kb_index_kb ON kb_index (workspace_id, kb_id);
ALTER TABLE knowledge_base ADD FOREIGN KEY (workspace_id, active_index_id) REFERENCES kb_index
    DEFERRABLE INITIALLY DEFERRED;

-- Originals: a row is written before the object and outlives it, so that nothing in the store is unknown.

CREATE TABLE blob (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    blob_key      text NOT NULL,
    state         text NOT NULL CHECK (state IN ('intent', 'live', 'trash')),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, blob_key)
);
CREATE INDEX blob_leftover ON blob (workspace_id, updated_at) WHERE state <> 'live';

-- Documents, their versions and chunks -----------------------------------------------------------

CREATE TABLE document (
    workspace_id       text NOT NULL,
    document_id        text NOT NULL,
    kb_id              text NOT NULL,
    kind               text NOT NULL CHECK (kind IN ('file', 'note', 'memory')),
    name               text NOT NULL,
    title              text,
    tags               jsonb NOT NULL DEFAULT '{{}}',
    active_version_id  text,
    latest_version_id  text NOT NULL,
    created_by         text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id),
    UNIQUE (workspace_id, kb_id, name),
    FOREIGN KEY (workspace_id, kb_id) REFERENCES knowledge_base ON DELETE CASCADE
);
CREATE INDEX document_newest ON document (workspace_id, kb_id, created_at DESC, document_id);

CREATE TABLE document_version (
    workspace_id  text NOT NULL,
    version_id    text NOT NULL,
    document_id   text NOT NULL,
    number        integer NOT NULL,
    blob_key      text NOT NULL,
    size_bytes    bigint NOT NULL,
    sha256        bytea NOT NULL,
    media_type    text NOT NULL,
    status        text NOT NULL CHECK (status IN ('pending', 'indexing', 'indexed', 'failed')),
    error         text,
    chunk_count   integer NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL DEFAULT now(),
    indexed_at    timestamptz,
    PRIMARY KEY (workspace_id, version_id),
    UNIQUE (workspace_id, document_id, number),
    FOREIGN KEY (workspace_id, document_id) REFERENCES document ON DELETE CASCADE
);

CREATE TABLE chunk (
    workspace_id  text NOT NULL,
    chunk_id      text NOT NULL,
    version_id    text NOT NULL,
    ordinal       integer NOT NULL,
    content       text NOT NULL,
    start_offset  integer NOT NULL,
    end_offset    integer NOT NULL,
    page          integer,
    headings      text[] NOT NULL,
    start_line    integer NOT NULL,
    end_line      integer NOT NULL,
    tokens        integer NOT NULL,
    text_hash     bytea NOT NULL,
    PRIMARY KEY (workspace_id, chunk_id),
    UNIQUE (workspace_id, version_id, ordinal),
    FOREIGN KEY (workspace_id, version_id) REFERENCES document_version ON DELETE CASCADE
);
CREATE INDEX chunk_text ON chunk (workspace_id, text_hash);

-- Beside the text a vector would be moved out of line and an exact scan would take five times as long.
CREATE TABLE chunk_vector (
    workspace_id  text NOT NULL,
    index_id      text NOT NULL,
    chunk_id      text NOT NULL,
    embedding     halfvec NOT NULL,
    PRIMARY KEY (workspace_id, index_id, chunk_id),
    FOREIGN KEY (workspace_id, index_id) REFERENCES kb_index ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunk ON DELETE CASCADE
);
ALTER TABLE chunk_vector ALTER embedding SET STORAGE PLAIN;
CREATE INDEX chunk_vector_chunk ON chunk_vector (workspace_id, chunk_id);

-- The document side of BM25: hashed terms, and their saturated frequencies as a sparse vector.
CREATE TABLE chunk_posting (
    workspace_id  text NOT NULL,
    index_id      text NOT NULL,
    chunk_id      text NOT NULL,
    terms         integer[] NOT NULL,
    weights       sparsevec NOT NULL,
    PRIMARY KEY (workspace_id, index_id, chunk_id),
    FOREIGN KEY (workspace_id, index_id) REFERENCES kb_index ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunk ON DELETE CASCADE
);
CREATE INDEX chunk_posting_chunk ON chunk_posting (workspace_id, chunk_id);
CREATE INDEX chunk_posting_terms ON chunk_posting USING gin (terms);

-- How many chunks hold a term, as a sum of deltas so that no row is hot; term 0 counts all chunks.
CREATE TABLE term_delta (
    workspace_id  text NOT NULL,
    index_id      text NOT NULL,
    term          integer NOT NULL,
    entry         bigint GENERATED ALWAYS AS IDENTITY,
    chunks        integer NOT NULL,
    PRIMARY KEY (workspace_id, index_id, term, entry),
    FOREIGN KEY (workspace_id, index_id) REFERENCES kb_index ON DELETE CASCADE
);

-- Background work --------------------------------------------------------------------------------

CREATE TABLE operation (
    workspace_id  text NOT NULL,
    operation_id  text NOT NULL,
    kind          text NOT NULL,
    status        text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'terminated')),
    progress      integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    kb_id         text NOT NULL,
    document_id   text NOT NULL,
    version_id    text NOT NULL,
    error         text,
    attempts      integer NOT NULL DEFAULT 0,
    fence         bigint NOT NULL DEFAULT 0,
    traceparent   text,
    created_by    text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    started_at    timestamptz,
    touched_at    timestamptz NOT NULL DEFAULT now(),
    finished_at   timestamptz,
    PRIMARY KEY (workspace_id, operation_id),
    FOREIGN KEY (workspace_id, version_id) REFERENCES document_version ON DELETE CASCADE
);
CREATE INDEX operation_newest ON operation (workspace_id, created_at DESC, operation_id);
CREATE INDEX operation_unfinished ON operation (workspace_id) WHERE status IN ('pending', 'running');
CREATE INDEX operation_version ON operation (workspace_id, version_id);

-- Embeddings of a version still being indexed: a resumed operation pays for none of them again.
CREATE TABLE staged_embedding (
    workspace_id  text NOT NULL,
    version_id    text NOT NULL,
    index_id      text NOT NULL,
    text_hash     bytea NOT NULL,
    embedding     halfvec NOT NULL,
    PRIMARY KEY (workspace_id, version_id, index_id, text_hash),
    FOREIGN KEY (workspace_id, version_id) REFERENCES document_version ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, index_id) REFERENCES kb_index ON DELETE CASCADE
);
ALTER TABLE staged_embedding ALTER embedding SET STORAGE PLAIN;

-- Tenancy ----------------------------------------------------------------------------------------

-- A stable function would be evaluated per row; the subselect is evaluated once a query.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'api_key', 'knowledge_base', 'kb_index', 'blob', 'document', 'document_version', 'chunk',
        'chunk_vector', 'chunk_posting', 'term_delta', 'operation', 'staged_embedding'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY workspace_only ON %I '
            'USING (workspace_id = (SELECT nullif(current_setting(''pinakes.workspace'', true), '''')))',
            name
        );
    END LOOP;
END $$;

-- People also see the workspaces they are members of, to choose among them.
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON member
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
CREATE POLICY own_membership ON member FOR SELECT
    USING (user_id = (SELECT nullif(current_setting('pinakes.user', true), '')));

ALTER TABLE workspace ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON workspace
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
CREATE POLICY own_membership ON workspace FOR SELECT
    USING (workspace_id IN (
        SELECT m.workspace_id FROM member m
        WHERE m.user_id = (SELECT nullif(current_setting('pinakes.user', true), ''))
    ));

-- Array operators are not leakproof, so under a policy the term index would not be used. These functions
-- run as a role that can only read, and take the workspace from the setting, never from an argument.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pinakes_reader') THEN
        CREATE ROLE pinakes_reader NOLOGIN;
    END IF;
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT pinakes_reader TO %I', current_user);
    END IF;
END $$;

CREATE FUNCTION posting_candidates(p_index_id text, p_terms integer[]) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
    SELECT chunk_id FROM public.chunk_posting
    WHERE workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), ''))
      AND index_id = p_index_id AND terms && p_terms
$$;

-- The worker's sweeps go from workspace to workspace; this is the only list of them.
CREATE FUNCTION workspace_ids() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$ SELECT workspace_id FROM public.workspace ORDER BY workspace_id $$;

GRANT SELECT ON chunk_posting, workspace TO pinakes_reader;
CREATE POLICY reader ON chunk_posting FOR SELECT TO pinakes_reader USING (true);
CREATE POLICY reader ON workspace FOR SELECT TO pinakes_reader USING (true);
GRANT CREATE ON SCHEMA public TO pinakes_reader;
ALTER FUNCTION posting_candidates OWNER TO pinakes_reader;
ALTER FUNCTION workspace_ids OWNER TO pinakes_reader;
REVOKE CREATE ON SCHEMA public FROM pinakes_reader;
REVOKE ALL ON FUNCTION posting_candidates, workspace_ids FROM PUBLIC;
GRANT EXECUTE ON FUNCTION posting_candidates, workspace_ids TO {app_role};

GRANT SELECT, INSERT, UPDATE, DELETE ON
    app_user, user_session, sign_in_link, workspace, member, api_key, knowledge_base, kb_index, blob,
    document, document_version, chunk, chunk_vector, chunk_posting, term_delta, operation, staged_embedding
    TO {app_role};
