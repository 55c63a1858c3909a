"""Templates that a workspace has of its own."""

from typing import Any

from pinakes.domain.template import Template
from pinakes.store.database import Connection, Row, fetch_all

_COLUMNS = "template_id, name, description, title, content, tags"


async def list_templates(connection: Connection, workspace_id: str) -> list[Template]:
    """All of them by name."""
    rows = await fetch_all(
        connection,
        f"SELECT {_COLUMNS} FROM note_template WHERE workspace_id = %s ORDER BY lower(name)",
        [workspace_id],
    )
    return [_template(row) for row in rows]


async def insert_template(connection: Connection, workspace_id: str, template: Template, created_by: str) -> None:
    """Keep a new one."""
    await connection.execute(
        f"INSERT INTO note_template (workspace_id, {_COLUMNS}, created_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        [
            workspace_id,
            template.template_id,
            template.name,
            template.description,
            template.title,
            template.content,
            list(template.tags),
            created_by,
        ],
    )


async def delete_template(connection: Connection, workspace_id: str, template_id: str) -> None:
    """Delete one."""
    await connection.execute(
        "DELETE FROM note_template WHERE workspace_id = %s AND template_id = %s", [workspace_id, template_id]
    )


def _template(row: Row) -> Template:
    fields: dict[str, Any] = row | {"tags": tuple(row["tags"])}
    return Template(**fields)
