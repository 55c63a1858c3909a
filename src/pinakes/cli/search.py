"""`pinakes search` and `pinakes ask`."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from pinakes.cli.client import connect
from pinakes.cli.terminal import TAG_HELP, JsonOption, err, harmless, out, run
from pinakes.domain.document import parse_tag
from pinakes.settings import Settings

Kbs = Annotated[list[str] | None, typer.Option("--kb", help="Knowledge base; may be repeated. Default: all.")]
TopK = Annotated[int, typer.Option("--top-k", min=1, max=20, help="How many passages.")]
MinScore = Annotated[float, typer.Option("--min-score", min=0, max=1, help="Leave out weaker ones.")]
Floor = Annotated[
    float | None,
    typer.Option("--min-score", min=0, max=1, help="Do not answer from weaker ones. Default: 0.3."),
]
Reranker = Annotated[
    str | None, typer.Option("--reranker", help="Re-ranker, or none. Default: the workspace's, if it has one.")
]
TagFilters = Annotated[list[str] | None, typer.Option("--tag", help=TAG_HELP)]


MultiHop = Annotated[
    bool, typer.Option("--multi-hop", help="Also look for what the first passages name, for questions of two steps.")
]
Diversity = Annotated[float, typer.Option("--diversity", min=0, max=1, help="How much repetitions give way.")]


def search(
    query: str,
    kb: Kbs = None,
    top_k: TopK = 5,
    min_score: MinScore = 0.0,
    tag: TagFilters = None,
    reranker: Reranker = None,
    multi_hop: MultiHop = False,
    diversity: Diversity = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Search knowledge bases by meaning and by keywords."""
    body = {"minScore": min_score, "reranker": reranker, "multiHop": multi_hop, "diversity": diversity}
    run(_asker("/api/search", query, kb, top_k, tag, body), _show_results, as_json=as_json)


def ask(
    query: str,
    kb: Kbs = None,
    top_k: TopK = 5,
    min_score: Floor = None,
    tag: TagFilters = None,
    reranker: Reranker = None,
    multi_hop: MultiHop = False,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the documents, with numbered sources."""
    body: dict[str, Any] = {"reranker": reranker, "multiHop": multi_hop}
    if min_score is not None:
        body["minScore"] = min_score
    run(_asker("/api/ask", query, kb, top_k, tag, body), _show_answer, as_json=as_json)


def _asker(
    path: str, query: str, kb: list[str] | None, top_k: int, tags: list[str] | None, options: dict[str, Any]
) -> Any:
    async def work(settings: Settings) -> Any:
        filters = [{"tagName": name, "tagValue": value} for name, value in map(parse_tag, tags or [])]
        body = {"query": query, "knowledgeBaseIds": kb or [], "topK": top_k, "tagFilters": filters, **options}
        async with connect(settings) as client:
            return await client.post(path, json=body)

    return work


def _show_results(found: Any) -> None:
    _show_warnings(found)
    if not found["results"]:
        out.print(f"Nothing was found. {found['note']}")
    for hit in found["results"]:
        heading = f"[bold]{hit['rank']}. {_plain(hit['citation'])}[/bold]"
        out.print(f"{heading}  [dim]{hit['similarity']:.2f} · {_plain(hit['knowledgeBaseName'])}[/dim]")
        out.print(f"{_plain(hit['content'].strip())}\n")


def _show_answer(answer: Any) -> None:
    _show_warnings(answer)
    out.print(_plain(answer["answer"]))
    if answer["note"]:
        out.print(f"[dim]{answer['note']}[/dim]")
    for entry in answer["sources"]:
        source = entry["source"]
        out.print(f"[dim]\\[{entry['number']}] {_plain(source['citation'])} · {source['similarity']:.2f}[/dim]")


def _plain(text: str) -> str:
    """Text of documents, as it is and without harm."""
    return escape(harmless(text))


def _show_warnings(answer: Any) -> None:
    for warning in answer["warnings"]:
        err.print(f"[yellow]{_plain(warning)}[/yellow]")
