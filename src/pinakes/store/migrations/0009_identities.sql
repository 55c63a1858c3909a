-- Whom an issuer of access tokens means by a subject (global: looked up before a workspace is known).

-- Nobody's any more (user_id is null) is not the same as never seen: only who is new is let in unasked.
CREATE TABLE user_identity (
    identity_id  text PRIMARY KEY,
    issuer       text NOT NULL,
    subject      text NOT NULL,
    user_id      text REFERENCES app_user ON DELETE SET NULL,
    linked_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (issuer, subject)
);
CREATE INDEX user_identity_user ON user_identity (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON user_identity TO {app_role};
