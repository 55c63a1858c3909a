-- Generations: a knowledge base can change its embedding model. The new generation is built behind the one that
-- answers by an operation of its own, which belongs to no document.

-- Since when it could answer; null for one that is being built for the first time.
ALTER TABLE kb_index ADD ready_at timestamptz DEFAULT now();

-- index_id is the generation that a switch leads to.
ALTER TABLE operation
    ALTER document_id DROP NOT NULL,
    ALTER version_id DROP NOT NULL,
    ADD index_id text,
    ADD CHECK ((kind = 'switch') = (document_id IS NULL) AND (kind = 'switch') = (version_id IS NULL)),
    ADD FOREIGN KEY (workspace_id, kb_id) REFERENCES knowledge_base ON DELETE CASCADE,
    ADD FOREIGN KEY (workspace_id, index_id) REFERENCES kb_index ON DELETE SET NULL (index_id);
CREATE INDEX operation_kb ON operation (workspace_id, kb_id);
CREATE INDEX operation_index ON operation (workspace_id, index_id) WHERE index_id IS NOT NULL;
CREATE UNIQUE INDEX operation_switch ON operation (workspace_id, kb_id)
    WHERE kind = 'switch' AND status IN ('pending', 'running');
