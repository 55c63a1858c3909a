-- What a try to index a version found out about it.

-- Only of a failed version: whether the same file may be read by another try, or with other settings.
ALTER TABLE document_version ADD retryable boolean NOT NULL DEFAULT true;

-- Pages or slides, where the format has them, and the language that most of it is in, where that can be told. What was
-- indexed before has neither until it is indexed anew.
ALTER TABLE document_version ADD pages integer, ADD language text;
