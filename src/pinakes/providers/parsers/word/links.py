"""Links in running text."""

_LONGEST_TARGET = 100
_OUTSIDE = ("http://", "https://", "mailto:")


def write_link(text: str, target: str) -> str:
    """The text of a link, in Markdown with its target where that is short, leads outside and adds to the text."""
    shown = text.strip()
    bare = target.removeprefix("mailto:").rstrip("/")
    repeated = not shown or bare in shown or shown in bare
    if repeated or not target.startswith(_OUTSIDE) or len(target) > _LONGEST_TARGET:
        return text
    if any(sign in target for sign in " ()<>\n"):
        return text
    return text.replace(shown, f"[{shown}]({target})", 1)
