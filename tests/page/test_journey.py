"""The whole way: sign in, make a knowledge base, add files, mend a failure, ask, open the source, delete.

The same with the mouse, on a phone, with the keyboard alone, and in Chinese.
"""

import io
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from docx import Document
from playwright.sync_api import Locator, Page, expect

from harness import Workspace
from page.looking import NARROW, WIDE, Visit, look
from parsers.pdf_files import make_pdf


def make_letter(text: str) -> bytes:
    """A Word document of one paragraph."""
    document, file = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


QUESTION = "How old is the chestnut on the hill?"
FILES: dict[str, bytes] = {
    "elms.txt": b"Elms have become rare since the disease came in 1967.\n",
    "oaks.md": b"# Oaks\n\nOaks can live for a thousand years.\n\n## Acorns\n\nJays bury acorns and forget where.\n",
    "walks.pdf": make_pdf(
        "A walk along the river, past the mill and the old bridge.",
        "The chestnut on the hill is four hundred years old.\nIts trunk is hollow, and children hide in it.",
        "The way back leads through the orchard.",
    ),
    "letter.docx": make_letter("The gardener wrote that the limes were pruned in March."),
    "trees.csv": b"tree,height\nash,31\nbeech,38\nplane,29\n",
    "broken.pdf": b"%PDF-1.7 and nothing else",
}


@dataclass(frozen=True)
class Words:
    """What the page says in one language, as far as the journey needs it."""

    key: str
    welcome: str
    knowledge: str
    search: str
    open_menu: str
    new: str
    name: str
    add_files: str
    added: str
    second_page: str
    source: str
    box: str
    delete: str
    deleted: str
    more: str
    close_list: str


ENGLISH = Words(
    key="API key",
    welcome="Welcome to Pinakes",
    knowledge="Knowledge",
    search="Search",
    open_menu="Open the menu",
    new="New knowledge base",
    name="Name",
    add_files="Add files",
    added="5 documents added",
    second_page="Page 2",
    source="Source 1: walks.pdf",
    box="What do you want to know?",
    delete="Delete",
    deleted="“Trees” was deleted.",
    more="More for “Trees”",
    close_list="Close the list",
)
CHINESE = Words(
    key="API 密钥",
    welcome="欢迎使用 Pinakes",
    knowledge="知识",
    search="搜索",
    open_menu="打开菜单",
    new="新建知识库",
    name="名称",
    add_files="添加文件",
    added="已添加 5 个文档",
    second_page="第 2 页",
    source="来源 1:walks.pdf",
    box="您想了解什么?",
    delete="删除",
    deleted="“Trees”已删除。",
    more="“Trees”的更多操作",
    close_list="关闭列表",
)


class Mouse:
    """Clicks, and drops files where they belong."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: Locator) -> None:
        """Use a control."""
        target.click()

    def add(self, words: Words, files: list[Path]) -> None:
        """Drop files, as a file manager does."""
        self.page.get_by_role("button", name=words.add_files).first.wait_for()
        session = self.page.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path) for path in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            event = {"type": kind, "x": 190, "y": 400, "data": data}
            session.send("Input.dispatchDragEvent", event)  # pyright: ignore[reportUnknownMemberType]


class Keyboard(Mouse):
    """Never touches the mouse: everything is reached with Tab and pressed with Enter."""

    def press(self, target: Locator) -> None:
        """Tab to a control, then Enter."""
        target.wait_for()
        for _ in range(80):
            if target.evaluate("element => element === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        expect(target).to_be_focused()
        self.page.keyboard.press("Enter")

    def add(self, words: Words, files: list[Path]) -> None:
        """Choose files through the button."""
        with self.page.expect_file_chooser() as chooser:
            self.press(self.page.get_by_role("button", name=words.add_files).first)
        chooser.value.set_files(files)


def open_section(page: Page, hand: Mouse, words: Words, name: str) -> None:
    """Through the bar at the side, or through the drawer where there is none."""
    burger = page.get_by_role("button", name=words.open_menu)
    if burger.is_visible():
        hand.press(burger)
    hand.press(page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")))
    page.get_by_role("heading", name=name, level=1).wait_for()


@pytest.mark.parametrize(
    ("name", "width", "words", "language", "hand"),
    [
        ("wide", WIDE, ENGLISH, "en-GB", Mouse),
        ("phone", NARROW, ENGLISH, "en-GB", Mouse),
        ("keyboard", WIDE, ENGLISH, "en-GB", Keyboard),
        ("chinese", WIDE, CHINESE, "zh-CN", Mouse),
    ],
    ids=["wide", "phone", "keyboard", "chinese"],
)
def test_from_signing_in_to_the_cited_page_and_back_to_nothing(
    visit: Visit,
    workspace: Workspace,
    tmp_path: Path,
    name: str,
    width: int,
    words: Words,
    language: str,
    hand: type[Mouse],
) -> None:
    # K5, A8, A9, E8
    files = [tmp_path / file for file in FILES]
    for path in files:
        path.write_bytes(FILES[path.name])
    page = visit(width, language)
    by = hand(page)
    page.goto("/")
    expect(page.get_by_label(words.key)).to_be_focused()
    page.keyboard.type(workspace.key)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=words.welcome, level=1).wait_for()
    open_section(page, by, words, words.knowledge)
    by.press(page.get_by_role("button", name=words.new))
    expect(page.get_by_role("textbox", name=words.name)).to_be_focused()
    page.keyboard.type("Trees")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Trees", level=1).wait_for()
    by.add(words, files)
    page.get_by_text(words.added).first.wait_for(timeout=60_000)
    page.get_by_text("The PDF is damaged").first.wait_for()
    look(page, f"journey-added-{name}")
    by.press(page.get_by_role("button", name=words.close_list))
    open_section(page, by, words, words.search)
    expect(page.get_by_label(words.box)).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    source = page.get_by_role("link", name=re.compile(f"^{words.source}"))
    source.first.wait_for()
    look(page, f"journey-answer-{name}")
    by.press(source.first)
    # A phone shows two pages at a time; the passage is marked on the second one.
    expect(page.get_by_label(words.second_page, exact=True).locator("[data-mark]").first).to_be_in_viewport()
    look(page, f"journey-source-{name}")
    open_section(page, by, words, words.knowledge)
    by.press(page.get_by_role("link", name="Trees"))
    page.get_by_role("heading", name="Trees", level=1).wait_for()
    by.press(page.get_by_role("button", name=words.more))
    delete(page, by, words)
    look(page, f"journey-deleted-{name}")
    expect(page.get_by_role("link", name="Trees")).to_have_count(0)


def delete(page: Page, by: Mouse, words: Words) -> None:
    """The last item of the menu that is open, and yes, it is meant."""
    item = page.get_by_role("menuitem", name=words.delete)
    item.wait_for()
    if isinstance(by, Keyboard):
        # Arrows move in a menu, Tab leaves it.
        while not item.evaluate("element => element === document.activeElement"):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    else:
        item.click()
    by.press(page.get_by_role("dialog").get_by_role("button", name=words.delete))
    page.get_by_text(words.deleted).wait_for()
