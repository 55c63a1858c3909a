"""What the notes tools do: they call the use cases and say in words what came of it."""

from pydantic import ValidationError

from pinakes.domain.errors import CallerError, PinakesError
from pinakes.domain.knowledge_base import slug_of
from pinakes.domain.note import Resource, show_tags
from pinakes.services import notes
from pinakes.services.knowledge_bases import create_knowledge_base
from pinakes.services.notes import Created, NewNote, NoteChange, NoteHit
from pinakes.tools.definition import Answer, Caller, Mistake
from pinakes.tools.fencing import fence
from pinakes.tools.notes import arguments as given
from pinakes.tools.problems import describe_problems

_SNIPPET = 400
_PROCESSED = "The knowledge is being processed (summarization and embedding) in background."


async def create_knowledge(caller: Caller, arguments: given.CreateKnowledgeInput) -> Answer:
    """Write one note."""
    created = await notes.create_note(caller.resources, caller.identity, _new(arguments))
    return _created(created)


def _new(arguments: given.CreateKnowledgeInput) -> NewNote:
    return NewNote(
        arguments.content, arguments.content_type, arguments.resource or None, arguments.title, arguments.tags
    )


def _created(created: Created) -> Answer:
    note = created.note
    lines = [
        "Knowledge created successfully!",
        f"ID: {note.document.document_id}",
        f"Resource: {note.resource}",
        _PROCESSED,
    ]
    if created.better_resource is not None:
        lines.append(f"Tip: Based on content analysis, '{created.better_resource}' might be a better fit.")
    if created.suggested_tags:
        lines.append(f"Suggested tags: {', '.join(created.suggested_tags)}")
    output = given.CreatedOutput(
        id=note.document.document_id,
        title=note.title,
        resource=note.resource,
        tags=show_tags(note.document.tags),
        revision=note.revision,
        operation_id=created.operation_id,
        suggested_resource=created.better_resource,
        suggested_tags=list(created.suggested_tags),
    )
    return Answer("\n".join(lines), output)


async def create_batch(caller: Caller, arguments: given.BatchInput) -> Answer:
    """Write several notes, each by itself."""
    items: list[NewNote | CallerError] = []
    for item in arguments.items:
        try:
            items.append(_new(given.CreateKnowledgeInput.model_validate(item)))
        except ValidationError as error:
            items.append(Mistake("INVALID_ARGUMENTS", describe_problems(error)))

    async def report(done: int) -> None:
        await caller.report_progress(100 * done / len(items), f"{done} of {len(items)} notes")

    outcomes = await notes.create_notes(caller.resources, caller.identity, items, report)
    results = [_batch_item(at, outcome) for at, outcome in enumerate(outcomes)]
    created = sum(result.status == "created" for result in results)
    lines = [f"Created {created} of {len(results)} knowledge items."]
    for result in results:
        told = f"ID: {result.id}, Resource: {result.resource}" if result.error is None else f"Error: {result.error}"
        lines.append(f"{result.index}. {told}")
    if created:
        lines.append(_PROCESSED)
    if created < len(results):
        lines.append("Mend the items with errors and send only those again.")
    return Answer("\n".join(lines), given.BatchOutput(created=created, failed=len(results) - created, results=results))


def _batch_item(index: int, outcome: Created | PinakesError) -> given.BatchItem:
    made = outcome if isinstance(outcome, Created) else None
    wrong = outcome if isinstance(outcome, PinakesError) else None
    return given.BatchItem(
        index=index,
        status="created" if made else "error",
        id=made and made.note.document.document_id,
        resource=made and made.note.resource,
        title=made and made.note.title,
        error=wrong and wrong.message,
        error_code=wrong and wrong.code,
    )


async def create_from_template(caller: Caller, arguments: given.FromTemplateInput) -> Answer:
    """Write a note from a template."""
    created = await notes.create_from_template(
        caller.resources,
        caller.identity,
        arguments.template_id,
        arguments.variables,
        resource=arguments.resource or None,
        title=arguments.title,
        tags=arguments.tags,
    )
    return _created(created)


async def update_knowledge(caller: Caller, arguments: given.UpdateKnowledgeInput) -> Answer:
    """Change what is given of a note."""
    if not arguments.id.strip():
        raise Mistake("ID_REQUIRED", "knowledge ID is required. Find it with search_user_knowledges.")
    change = NoteChange(
        arguments.content,
        arguments.content_type,
        arguments.resource,
        arguments.title,
        arguments.tags,
        arguments.revision,
    )
    changed = await notes.update_note(caller.resources, caller.identity, arguments.id, change)
    status = "updated and re-processing" if changed.operation_id else "updated"
    text = f"Knowledge {status} successfully!\nID: {arguments.id}\nUpdated fields: {', '.join(changed.updated_fields)}"
    note = changed.note
    if "resource" in changed.updated_fields:
        text += f"\nResource: {note.resource}"
    output = given.UpdatedOutput(
        id=arguments.id,
        title=note.title,
        resource=note.resource,
        tags=show_tags(note.document.tags),
        revision=note.revision,
        updated_fields=list(changed.updated_fields),
        operation_id=changed.operation_id,
    )
    return Answer(text, output)


async def list_resources(caller: Caller, _: given.NoArguments) -> Answer:
    """The resources as a table."""
    there = await notes.list_resources(caller.resources, caller.identity)
    output = given.ResourcesOutput(
        resources=[
            given.ResourceOut(id=one.slug, title=one.title, description=one.description, cycle=one.cycle)
            for one in there
        ]
    )
    if len(there) == 1:
        text = (
            f"You don't have any custom resources yet. Knowledge will be saved to the default resource "
            f"'{there[0].slug}'. create_resource makes one."
        )
        return Answer(text, output)
    rows = [_row(one) for one in there]
    text = "\n".join(
        [
            "Available Resources:",
            "",
            "| ID | Title | Description | Lifecycle |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            "Usage:",
            "- Use the 'ID' column value when creating or updating knowledge",
            "- If no resource is specified, knowledge will be saved to 'knowledge'",
        ]
    )
    return Answer(text, output)


def _row(resource: Resource) -> str:
    cells = (resource.slug, resource.title, resource.description or "-", resource.lifecycle)
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


async def search_notes(caller: Caller, arguments: given.SearchInput) -> Answer:
    """Notes that answer, each with its best passage quoted."""
    found = await notes.search_notes(
        caller.resources,
        caller.identity,
        arguments.query,
        resource=arguments.resource,
        tags=arguments.tags,
        limit=arguments.limit,
        min_score=arguments.min_score,
    )
    results = [_found(hit) for hit in found.hits]
    lines = [f"Found {len(results)} knowledge item{'' if len(results) == 1 else 's'}."]
    if not results:
        lines = [f"No knowledge found. {found.note or ''}".strip()]
    for number, result in enumerate(results, 1):
        tags = f" | Tags: {', '.join(result.tags)}" if result.tags else ""
        lines += [
            "",
            f"{number}. ID: {result.id} | Resource: {result.resource}{tags} | Score: {result.score:.2f}",
            result.snippet,
        ]
    if found.waiting:
        several = "1 note is" if found.waiting == 1 else f"{found.waiting} notes are"
        lines += ["", f"{several} still being processed and may not be found yet; search again in a few seconds."]
    return Answer("\n".join(lines), given.SearchOutput(results=results, waiting=found.waiting))


def _found(found: NoteHit) -> given.FoundNote:
    hit = found.hit
    snippet = hit.content.strip()
    if len(snippet) > _SNIPPET:
        snippet = snippet[:_SNIPPET].rsplit(" ", 1)[0] + "…"
    title = hit.document_title or hit.document_name
    return given.FoundNote(
        id=hit.document_id,
        title=title,
        resource=found.resource,
        tags=show_tags(hit.tags),
        # Quoted in the data as well: some clients show a model nothing else.
        snippet=fence(snippet, title),
        score=round(hit.similarity, 4),
    )


async def create_resource(caller: Caller, arguments: given.CreateResourceInput) -> Answer:
    """Make a resource."""
    there = await notes.list_resources(caller.resources, caller.identity)
    if slug_of(arguments.id) != arguments.id:
        raise Mistake(
            "INVALID_RESOURCE_ID",
            f"'{arguments.id}' is no id for a resource. Use small letters, digits and hyphens, for example "
            f"'{slug_of(arguments.id)}'.",
        )
    if any(one.slug == arguments.id or one.title.casefold() == arguments.title.casefold() for one in there):
        listed = ", ".join(one.slug for one in there)
        raise Mistake(
            "RESOURCE_EXISTS",
            f"A resource with the id '{arguments.id}' or the title '{arguments.title}' exists already. Use it, or "
            f"choose another id and title. Available resources: {listed}.",
        )
    kb = await create_knowledge_base(
        caller.resources,
        caller.identity,
        name=arguments.title,
        description=arguments.description,
        lifecycle_days=arguments.cycle,
        slug=arguments.id,
    )
    made = Resource(kb.kb_id, kb.slug, kb.name, kb.description, kb.lifecycle_days)
    text = f"Resource created successfully!\nID: {made.slug}\nTitle: {made.title}\nLifecycle: {made.lifecycle}"
    output = given.ResourceOut(id=made.slug, title=made.title, description=made.description, cycle=made.cycle)
    return Answer(text, output)


async def delete_knowledge(caller: Caller, arguments: given.DeleteKnowledgeInput) -> Answer:
    """Delete a note."""
    note, _ = await notes.get_note(caller.resources, caller.identity, arguments.id)
    freed = await notes.delete_note(caller.resources, caller.identity, arguments.id)
    output = given.DeletedOutput(id=arguments.id, title=note.title, chunks=freed.chunks, size_bytes=freed.size_bytes)
    return Answer(f"Knowledge deleted successfully!\nID: {arguments.id}\nResource: {note.resource}", output)
