-- What a try to index a version found out about it.

-- Only of a failed version: whether the same file may be read by another try, or with other settings.
ALTER TABLE document_version ADD retryable boolean NOT NULL DEFAULT true;
