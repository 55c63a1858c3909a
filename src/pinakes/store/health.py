"""What the database says about itself and about us."""

from pinakes.store.database import Connection, fetch_all, fetch_one
from pinakes.store.migrate import latest_migration


async def schema_state(connection: Connection) -> str:
    """`ok`, or which migration is missing."""
    row = await fetch_one(connection, "SELECT 1 FROM schema_migration WHERE name = %s", [latest_migration()])
    return "ok" if row else f"migration {latest_migration()} has not been applied"


async def role_state(connection: Connection) -> str:
    """`ok` if our role is bound by the policies: no superuser, no BYPASSRLS, owner of nothing."""
    row = await fetch_one(
        connection,
        "SELECT r.rolsuper, r.rolbypassrls, EXISTS (SELECT FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND pg_has_role(r.oid, c.relowner, 'MEMBER')) "
        "AS owns FROM pg_roles r WHERE r.rolname = current_user",
    )
    assert row
    faults = [
        text
        for text, fault in (
            ("is a superuser", row["rolsuper"]),
            ("may bypass row-level security", row["rolbypassrls"]),
            ("owns tables", row["owns"]),
        )
        if fault
    ]
    return "ok" if not faults else f"the application's database role {' and '.join(faults)}"


async def count_jobs(connection: Connection) -> dict[str, int]:
    """Jobs by status."""
    rows = await fetch_all(connection, "SELECT status::text, count(*) AS n FROM procrastinate_jobs GROUP BY status")
    return {row["status"]: row["n"] for row in rows}
