-- Whoever wrote what was brought along from elsewhere has a name, and no account here.

ALTER TABLE document ADD COLUMN author text;
