"""What a model can mend is an answer in words with advice; suggestions, templates, blocks, and who may change what."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from api.people import join, make_key, user_id_of
from harness import Server, Workspace, data_of
from pinakes.domain.errors import Forbidden
from pinakes.services.resources import Resources
from pinakes.tools.definition import Mistake
from toolbox import Toolbox, open_resources

LONG = 100_000


@pytest.fixture(scope="module")
async def resources(server: Server) -> AsyncIterator[Resources]:
    """What tools stand on."""
    async with open_resources(server) as opened:
        yield opened


@pytest.fixture
def tools(resources: Resources, workspace: Workspace) -> Toolbox:
    """The tools in a workspace of their own."""
    return Toolbox(resources, workspace)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"content": ""}, "CONTENT_REQUIRED", "Error: content is required"),
        ({}, "INVALID_ARGUMENTS", "content: Field required"),
        ({"content": "x" * (LONG + 1)}, "CONTENT_TOO_LONG", "content is too long: 100,001 characters (max 100,000)"),
        ({"content": "x", "tags": [str(n) for n in range(21)]}, "TOO_MANY_TAGS", "too many tags (max 20)"),
        (
            {"content": "x", "resource": "nowhere"},
            "RESOURCE_NOT_FOUND",
            "Resource 'nowhere' not found. Available resources: knowledge.",
        ),
        ({"content": "x", "resource": "memory"}, "RESOURCE_NOT_FOUND", "Available resources: knowledge."),
        ({"content": "x", "contentType": "html"}, "INVALID_ARGUMENTS", "contentType: Input should be 'markdown'"),
        ({"content": "x", "titel": "y"}, "INVALID_ARGUMENTS", "titel: Extra inputs are not permitted"),
        ({"content": "a\0b"}, "INVALID_REQUEST", "NUL"),
        ({"content": "x", "title": "y" * 201}, "INVALID_REQUEST", "at most 200"),
        ({"content": [{"type": "paragraph", "text": "x"}]}, "INVALID_REQUEST", "contentType 'blocks'"),
        ({"content": "no json", "contentType": "blocks"}, "INVALID_BLOCKS", "a list of objects such as"),
        (
            {"content": [{"type": "heading", "text": "x", "level": 7}], "contentType": "blocks"},
            "INVALID_BLOCKS",
            "Block 1 (heading): level must be 1 to 6.",
        ),
        (
            {"content": [{"type": "video"}], "contentType": "blocks"},
            "INVALID_BLOCKS",
            "Types are: heading, paragraph, list",
        ),
    ],
)
async def test_a_note_that_cannot_be_written_is_answered_with_advice_and_nothing_is_stored(
    tools: Toolbox, arguments: dict[str, Any], code: str, words: str
) -> None:
    # D8, K2
    result = await tools.fail("create_knowledge", **arguments)
    assert (result.error_code, words in result.text) == (code, True), result.text
    assert data_of(tools.workspace.client.get("/api/notes"))["total"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"id": ""}, "ID_REQUIRED", "Error: knowledge ID is required"),
        ({"id": "doc_nothing", "title": "x"}, "NOT_FOUND", "Error: Knowledge not found: doc_nothing"),
        ({}, "NO_CHANGE", "Error: No fields to update. Please provide at least one field"),
        ({"resource": "knowledge"}, "NO_CHANGE", "It is in 'knowledge' already"),
        ({"resource": "nowhere"}, "RESOURCE_NOT_FOUND", "Available resources: knowledge."),
        ({"content": " "}, "CONTENT_REQUIRED", "content is required"),
        ({"content": "x" * (LONG + 1)}, "CONTENT_TOO_LONG", "Split it"),
        ({"tags": [str(n) for n in range(21)]}, "TOO_MANY_TAGS", "too many tags (max 20)"),
    ],
)
async def test_a_change_that_cannot_be_made_is_answered_with_advice_and_changes_nothing(
    tools: Toolbox, arguments: dict[str, Any], code: str, words: str
) -> None:
    # D8, D2
    note_id = await tools.note(content="Ships sail at dawn.", tags=["sea"])
    before = data_of(tools.workspace.client.get(f"/api/notes/{note_id}"))
    result = await tools.fail("update_knowledge", **({"id": note_id} | arguments))
    assert (result.error_code, words in result.text) == (code, True), result.text
    assert data_of(tools.workspace.client.get(f"/api/notes/{note_id}")) == before


async def test_a_file_is_no_note(tools: Toolbox) -> None:
    # D2, D8
    file = tools.workspace.add("knowledge", "file.txt", "Not written here.")
    for name in ("update_knowledge", "delete_knowledge"):
        arguments = {"id": file["id"], "title": "x"} if name == "update_knowledge" else {"id": file["id"]}
        assert (await tools.fail(name, **arguments)).error_code == "NOT_FOUND"
    assert data_of(tools.workspace.client.get(f"/api/documents/{file['id']}"))["title"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"id": "Meeting Notes", "title": "x"}, "INVALID_RESOURCE_ID", "for example 'meeting-notes'"),
        ({"id": "knowledge", "title": "x"}, "RESOURCE_EXISTS", "Available resources: knowledge."),
        ({"id": "x", "title": "Knowledge"}, "RESOURCE_EXISTS", "choose another id and title"),
        ({"id": "memory", "title": "x"}, "SLUG_EXISTS", "taken"),
        ({"id": "x", "title": "x", "cycle": -1}, "INVALID_ARGUMENTS", "cycle"),
        ({"id": "x", "title": " "}, "INVALID_REQUEST", "empty"),
    ],
)
async def test_a_resource_that_cannot_be_made_is_answered_with_advice(
    tools: Toolbox, arguments: dict[str, Any], code: str, words: str
) -> None:
    # D5, D8
    result = await tools.fail("create_resource", **arguments)
    assert (result.error_code, words in result.text) == (code, True), result.text


async def test_searches_that_cannot_be_done_or_find_nothing_say_why(tools: Toolbox) -> None:
    # D4, D8
    assert "empty" in (await tools.fail("search_user_knowledges", query=" ")).text
    assert (await tools.fail("search_user_knowledges", query="x", resource="y")).error_code == "RESOURCE_NOT_FOUND"
    assert (await tools.fail("search_user_knowledges", query="x", limit=21)).error_code == "INVALID_ARGUMENTS"
    nothing = await tools.succeed("search_user_knowledges", query="x")
    assert nothing.text.startswith("No knowledge found. No passage")


async def test_where_there_is_one_resource_the_list_says_so(tools: Toolbox) -> None:
    # D3
    listed = await tools.succeed("list_user_resources")
    assert listed.text.startswith(
        "You don't have any custom resources yet. Knowledge will be saved to the default resource 'knowledge'."
    )


async def test_a_template_is_filled_in_and_a_missing_variable_is_named(tools: Toolbox) -> None:
    # D7, D8
    variables = {"topic": "Budget", "attendees": "Ada, Bo", "discussion": "{{decisions}}", "next_steps": "None"}
    wrong = await tools.fail("create_from_template", templateId="meeting-notes", variables=variables | {"topik": "x"})
    assert wrong.error_code == "TEMPLATE_VARIABLES"
    assert "Missing variables: decisions. Unknown variables: topik." in wrong.text
    assert wrong.metadata["error_details"]["missing"] == ["decisions"]
    variables["decisions"] = "Approved."
    made = await tools.succeed("create_from_template", templateId="meeting-notes", variables=variables)
    note = data_of(tools.workspace.client.get(f"/api/notes/{made.metadata['id']}"))
    today = datetime.now(UTC).date().isoformat()
    assert note["title"] == f"{today} Budget"
    assert f"Date: {today}\nAttendees: Ada, Bo" in note["content"]
    # A value that looks like a variable stays as it is.
    assert "## Discussion\n\n{{decisions}}\n\n## Decisions\n\nApproved." in note["content"]
    assert made.metadata["tags"] == ["meeting"]


async def test_a_template_that_there_is_not_is_answered_with_all_that_there_are(tools: Toolbox) -> None:
    # D7, D8
    template = {"name": "Voyage", "content": "# {{ship}}\n\nTo {{port}}.", "title": "Voyage of {{ship}}"}
    data_of(tools.workspace.client.post("/api/templates", json=template))
    wrong = await tools.fail("create_from_template", templateId="log")
    assert "Template 'log' not found." in wrong.text
    assert "daily-log (Daily log: date, done, blockers, tomorrow)" in wrong.text
    assert "(Voyage: ship, port)" in wrong.text
    made = await tools.succeed(
        "create_from_template", templateId="voyage", variables={"ship": "Argo", "port": "Colchis"}, tags=[]
    )
    assert (made.metadata["title"], made.metadata["tags"]) == ("Voyage of Argo", [])


async def test_blocks_are_rendered_found_and_kept(tools: Toolbox) -> None:
    # D1
    blocks = [
        {"type": "heading", "text": "Harbour", "level": 1},
        {"type": "paragraph", "text": "Ships **rest** here."},
        {"type": "list", "items": ["rope", "tar\npitch"], "ordered": True},
        {"type": "checklist", "items": [{"text": "moor", "checked": True}, {"text": "unload"}]},
        {"type": "quote", "text": "Land\nho"},
        {"type": "code", "text": "a ``` b", "language": "sh"},
        {"type": "table", "header": ["Ship", "Crew"], "rows": [["Argo", "5|0"]]},
        {"type": "divider"},
    ]
    note_id = await tools.note(content=blocks, contentType="blocks")
    note = data_of(tools.workspace.client.get(f"/api/notes/{note_id}"))
    assert note["content"] == (
        "# Harbour\n\nShips **rest** here.\n\n1. rope\n2. tar\n   pitch\n\n- [x] moor\n- [ ] unload\n\n> Land\n> ho\n\n"
        "````sh\na ``` b\n````\n\n| Ship | Crew |\n| --- | --- |\n| Argo | 5\\|0 |\n\n---\n"
    )
    assert (note["contentType"], note["blocks"], note["title"]) == ("blocks", blocks, "Harbour")
    (found,) = (await tools.succeed("search_user_knowledges", query="Argo crew")).metadata["results"]
    assert found["id"] == note_id
    await tools.succeed("update_knowledge", id=note_id, content="Plain *text* now.")
    changed = data_of(tools.workspace.client.get(f"/api/notes/{note_id}"))
    assert (changed["contentType"], changed["blocks"]) == ("markdown", None)


async def test_a_resource_that_clearly_fits_better_is_named_where_none_was_given(tools: Toolbox) -> None:
    # D9
    for slug, title, description in (
        ("recipes", "Recipes", "Dishes to cook, with ingredients and steps"),
        ("journeys", "Travel", "Trips, hotels, flights and places to see"),
        ("ships", "Ships", ""),
    ):
        await tools.succeed("create_resource", id=slug, title=title, description=description)
    soup = "Lentil soup\n\nFry onions in olive oil, add lentils, carrots and stock, simmer for 30 minutes, season."
    told = await tools.succeed("create_knowledge", content=soup)
    assert "\nTip: Based on content analysis, 'recipes' might be a better fit." in told.text
    assert told.metadata["suggested_resource"] == "recipes"
    assert "Tip:" not in (await tools.succeed("create_knowledge", content=soup, resource="journeys")).text
    for unclear in ("The wifi password of the guest room is on the fridge.", "Invoice 2231 was paid on 12 June."):
        assert "Tip:" not in (await tools.succeed("create_knowledge", content=unclear)).text


async def test_documents_of_a_resource_speak_for_it_as_well(tools: Toolbox) -> None:
    # D9
    await tools.succeed("create_resource", id="x-files", title="X")
    await tools.note(
        content="Exporter design: the exporter service reads rows from PostgreSQL and writes files to S3.",
        resource="x-files",
    )
    design = "Importer design\n\nThe importer service reads files from S3, parses them and writes to PostgreSQL."
    told = await tools.succeed("create_knowledge", content=design)
    assert told.metadata["suggested_resource"] == "x-files"


async def test_tags_are_suggested_from_the_text_where_none_were_given(tools: Toolbox) -> None:
    # D9
    text = "Python generators save memory. Python generators are lazy. A generator yields; Python iterates."
    told = await tools.succeed("create_knowledge", content=text)
    assert "python generators" in told.metadata["suggested_tags"]
    assert "\nSuggested tags: " in told.text
    assert "Suggested tags" not in (await tools.succeed("create_knowledge", content=text, tags=["x"])).text


async def test_an_editor_changes_what_another_wrote_and_a_viewer_changes_nothing(
    tools: Toolbox, server: Server, resources: Resources
) -> None:
    # D10, F2
    note_id = await tools.note(content="Ships sail at dawn.")
    editor, viewer = join(server, tools.workspace, "editor", "Eva"), join(server, tools.workspace, "viewer", "Vic")
    keys = {"editor": make_key(editor, "read", "write")["key"], "viewer": make_key(viewer, "read")["key"]}
    boxes = {name: Toolbox(resources, Workspace(tools.workspace.id, key, server.url)) for name, key in keys.items()}
    await boxes["editor"].succeed("update_knowledge", id=note_id, title="By Eva")
    for name, arguments in (
        ("update_knowledge", {"id": note_id, "title": "By Vic"}),
        ("delete_knowledge", {"id": note_id}),
        ("create_knowledge", {"content": "By Vic"}),
    ):
        with pytest.raises(Forbidden):
            await boxes["viewer"].call(name, **arguments)
    note = data_of(viewer.get(f"/api/notes/{note_id}"))
    assert note["title"] == "By Eva"
    # An agent's key acts for its user.
    written = await boxes["editor"].note(content="Written with a key.")
    assert data_of(viewer.get(f"/api/notes/{written}"))["createdBy"] == user_id_of(editor) != note["createdBy"]


async def test_an_agent_may_not_write_until_a_person_switches_the_tool_on(
    resources: Resources, workspace: Workspace
) -> None:
    # E7, D10
    agent = Toolbox(resources, workspace, is_agent=True)
    await agent.succeed("list_user_resources")
    with pytest.raises(Forbidden, match="switched off"):
        await agent.call("create_knowledge", content="x")
    assert not issubclass(Forbidden, Mistake)
