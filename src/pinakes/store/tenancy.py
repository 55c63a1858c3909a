"""Which tables belong to no workspace. Everything else is a tenant table, and a test holds it to the rules."""

GLOBAL_TABLES = frozenset(
    {
        "schema_migration",
        "installation",
        "app_user",
        "user_session",
        "sign_in_link",
        "user_identity",
        "procrastinate_workers",
        "procrastinate_jobs",
        "procrastinate_periodic_defers",
        "procrastinate_events",
    }
)
