"""Templates for notes: text with {{variables}}."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pinakes.domain.errors import InvalidInput
from pinakes.domain.note import too_long

_VARIABLE = re.compile(r"\{\{\s*(\w{1,60})\s*\}\}")
# Filled in with the day where it is not given.
DATE = "date"


@dataclass(frozen=True, slots=True)
class Template:
    """A note to be filled in; `shipped` ones come with the program."""

    template_id: str
    name: str
    description: str
    title: str
    content: str
    tags: tuple[str, ...] = ()
    shipped: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """What has to be given, in the order in which it stands there."""
        return tuple(dict.fromkeys(_VARIABLE.findall(f"{self.title}\n{self.content}")))


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with everything in its place."""

    title: str
    content: str
    tags: tuple[str, ...]


def fill_template(template: Template, variables: Mapping[str, str], today: str, limit: int) -> Filled:
    """Put values in the place of variables; InvalidInput lists those that are missing or not known.

    LimitExceeded is raised before a text over the limit is made: a few kilobytes can stand for gigabytes.
    """
    given = {DATE: today, **variables}
    missing = [name for name in template.variables if name not in given]
    unknown = [name for name in variables if name not in template.variables and name != DATE]
    if missing or unknown:
        problems = [f"Missing variables: {', '.join(missing)}."] if missing else []
        problems += [f"Unknown variables: {', '.join(unknown)}."] if unknown else []
        needed = ", ".join(name for name in template.variables if name != DATE) or "none"
        raise InvalidInput(
            f"{' '.join(problems)} The template '{template.template_id}' needs: {needed}.",
            code="TEMPLATE_VARIABLES",
            details={"missing": missing, "unknown": unknown, "variables": list(template.variables)},
        )
    return Filled(
        _put_in(template.title, given, "title", limit),
        _put_in(template.content, given, "content", limit),
        template.tags,
    )


def _put_in(text: str, given: Mapping[str, str], what: str, limit: int) -> str:
    """In one pass: a value that looks like a variable stays as it is."""
    length = len(text) + sum(len(given[found[1]]) - len(found[0]) for found in _VARIABLE.finditer(text))
    if length > limit:
        raise too_long(length, limit, what)
    return _VARIABLE.sub(lambda found: given[found[1]], text)


SHIPPED: tuple[Template, ...] = (
    Template(
        "meeting-notes",
        "Meeting notes",
        "What was discussed and decided in a meeting, and who does what next.",
        "{{date}} {{topic}}",
        "# {{topic}}\n\nDate: {{date}}\nAttendees: {{attendees}}\n\n## Discussion\n\n{{discussion}}\n\n"
        "## Decisions\n\n{{decisions}}\n\n## Next steps\n\n{{next_steps}}\n",
        ("meeting",),
        shipped=True,
    ),
    Template(
        "decision",
        "Decision",
        "One decision: why it came up, what was chosen, what it means.",
        "Decision: {{decision}}",
        "# Decision: {{decision}}\n\nDate: {{date}}\n\n## Context\n\n{{context}}\n\n"
        "## Alternatives\n\n{{alternatives}}\n\n## Consequences\n\n{{consequences}}\n",
        ("decision",),
        shipped=True,
    ),
    Template(
        "how-to",
        "How-to",
        "Steps that lead to one goal, for somebody who has not done it before.",
        "How to {{goal}}",
        "# How to {{goal}}\n\n## Before you begin\n\n{{prerequisites}}\n\n## Steps\n\n{{steps}}\n\n"
        "## How to check that it worked\n\n{{check}}\n",
        ("how-to",),
        shipped=True,
    ),
    Template(
        "daily-log",
        "Daily log",
        "What was done today, what stands in the way, what comes tomorrow.",
        "{{date}} Daily log",
        "# Daily log {{date}}\n\n## Done\n\n{{done}}\n\n## In the way\n\n{{blockers}}\n\n## Tomorrow\n\n{{tomorrow}}\n",
        ("daily-log",),
        shipped=True,
    ),
)
