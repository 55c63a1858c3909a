-- Tools that agents call: which of them a workspace has switched, every call, and the catalog each thread has selected.

CREATE TABLE tool_switch (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    tool          text NOT NULL,
    is_on         boolean NOT NULL,
    changed_by    text NOT NULL,
    changed_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, tool)
);

-- Of what was asked and answered nothing is kept but eight digits of a hash of its subject.
CREATE TABLE tool_call (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    call_id       text NOT NULL,
    tool          text NOT NULL,
    interface     text NOT NULL,
    agent_name    text,
    user_id       text NOT NULL,
    key_id        text,
    topic_digest  text,
    result        text NOT NULL CHECK (result IN ('success', 'error', 'refused', 'fault')),
    error_code    text,
    milliseconds  double precision NOT NULL,
    called_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, call_id)
);

-- selector is a thread's own name, or the key or person that calls.
CREATE TABLE selected_catalog (
    workspace_id  text NOT NULL,
    selector      text NOT NULL,
    kb_id         text NOT NULL,
    PRIMARY KEY (workspace_id, selector),
    FOREIGN KEY (workspace_id, kb_id) REFERENCES knowledge_base ON DELETE CASCADE
);
CREATE INDEX selected_catalog_kb ON selected_catalog (workspace_id, kb_id);

ALTER TABLE tool_switch ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON tool_switch
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
ALTER TABLE tool_call ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON tool_call
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
ALTER TABLE selected_catalog ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON selected_catalog
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_switch, tool_call, selected_catalog TO {app_role};
