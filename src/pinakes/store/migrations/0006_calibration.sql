-- On which scale an embedder's cosines lie, measured when it is added or tried; null for one not tried since.
ALTER TABLE embedder ADD scale jsonb;
