-- When a selected catalog was last chosen or asked: talks end without saying so, and what they selected is forgotten.

ALTER TABLE selected_catalog ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now();
