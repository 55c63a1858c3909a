-- Notes: the blocks that a version's Markdown was made of, a list by the last change, and templates of one's own.

ALTER TABLE document_version ADD COLUMN blocks jsonb;
CREATE INDEX document_note ON document (workspace_id, updated_at DESC, document_id) WHERE kind = 'note';

CREATE TABLE note_template (
    workspace_id  text NOT NULL REFERENCES workspace ON DELETE CASCADE,
    template_id   text NOT NULL,
    name          text NOT NULL,
    description   text NOT NULL,
    title         text NOT NULL,
    content       text NOT NULL,
    tags          text[] NOT NULL,
    created_by    text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, template_id)
);
CREATE UNIQUE INDEX note_template_name ON note_template (workspace_id, lower(name));

ALTER TABLE note_template ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON note_template
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON note_template TO {app_role};
