"""Mail: messages, mailboxes and Outlook's own files, with what is attached to them."""

import struct
from email.message import EmailMessage
from typing import Any

import pytest
from msg_files import make_msg, numbers, text

from pinakes.domain.errors import DocumentFault, UnsupportedFile
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place
from pinakes.providers.parsers.mail.eml import parse_eml, parse_mbox
from pinakes.providers.parsers.mail.outlook import parse_msg
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.text.plain import parse_text


def parse_part(name: str, content: bytes) -> ParsedDocument:
    """Stands for the whole product: three kinds of attachment, and one whose reader fails."""
    match name.rpartition(".")[2]:
        case "txt":
            return parse_text(content)
        case "eml":
            return parse_eml(content, parse_part=parse_part)
        case "pdf":
            return ParsedDocument("Page one", (Section(0, 8, place=Place("page", 1)),), remarks=("One page is empty.",))
        case "bad":
            raise KeyError(name)
        case "locked":
            raise DocumentFault("The file is protected by a password.")
        case _:
            raise UnsupportedFile(f"{name!r} has an unsupported extension.")


def make_message(body: str = "Hello there.", subject: str = "Plans") -> EmailMessage:
    """A message to build on."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Jörg Müller <joerg@example.org>"
    message["To"] = "a@example.org, b@example.org"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
    message.set_content(body)
    return message


def read(message: EmailMessage | bytes) -> ParsedDocument:
    """The message parsed, its sections checked."""
    parsed = parse_eml(message if isinstance(message, bytes) else message.as_bytes(), parse_part=parse_part)
    end = 0
    for section in parsed.sections:
        assert end <= section.start < section.end <= len(parsed.text)
        end = section.end
    return parsed


def inside(parsed: ParsedDocument) -> list[tuple[str | None, str]]:
    """What each section is inside of, and its text."""
    return [(section.inside, parsed.text[section.start : section.end].strip()) for section in parsed.sections]


def test_a_message_shows_its_subject_people_date_and_body() -> None:
    # K1, K5
    parsed = read(make_message(subject="Pläne für März"))
    assert parsed.title == "Pläne für März"
    assert parsed.text == (
        "# Pläne für März\n\nFrom: Jörg Müller <joerg@example.org>\nTo: a@example.org, b@example.org\n"
        "Date: Mon, 02 Mar 2026 10:00:00 +0100\n\nHello there.\n\n"
    )
    assert parsed.sections[0].headings == ("Pläne für März",)


def test_of_two_versions_of_a_body_the_plain_one_is_read_unless_it_is_a_stub() -> None:
    # K1
    message = make_message("The plain version says it all, and says it well.")
    message.add_alternative("<p>The <b>other</b> version</p>", subtype="html")
    assert "other" not in read(message).text
    message = make_message("Please use a newer mail program.")
    message.add_alternative(f"<h1>News</h1><p>{'A real story. ' * 50}</p>", subtype="html")
    parsed = read(message)
    assert "newer mail program" not in parsed.text
    assert parsed.sections[-1].headings == ("Plans", "News")


def test_attachments_are_read_and_keep_their_names_and_places() -> None:
    # K1, K5
    message = make_message()
    message.add_attachment(b"Words of the note", maintype="text", subtype="plain", filename="nöte.txt")
    message.add_attachment(b"-", maintype="application", subtype="pdf", filename="../x/report.pdf")
    message.add_attachment(b"+ code", maintype="text", subtype="plain", filename="fix.patch")
    parsed = read(message)
    assert "Attachments: nöte.txt, report.pdf, fix.patch" in parsed.text
    assert inside(parsed)[1:] == [
        ("nöte.txt", "Words of the note"),
        ("report.pdf", "Page one"),
        ("fix.patch", "+ code"),
    ]
    assert parsed.sections[2].place == Place("page", 1)
    assert parsed.remarks == ("report.pdf: One page is empty.",)


def test_attachments_that_cannot_be_read_are_named_with_the_reason() -> None:
    # K3
    message = make_message()
    for name in ("a.exe", "b.bad", "c.locked"):
        message.add_attachment(b"x", maintype="application", subtype="octet-stream", filename=name)
    message.add_attachment(b"x", maintype="application", subtype="pgp-signature", filename="signature.asc")
    assert read(message).remarks == (
        "The attachment 'a.exe' was left out: files of its type cannot be read.",
        "The attachment 'b.bad' was left out: the reader failed on it (KeyError).",
        "The attachment 'c.locked' was left out: The file is protected by a password.",
    )


def test_pictures_that_the_body_shows_are_no_attachments() -> None:
    # K1
    message = make_message("Look at this.")
    message.add_alternative('<p>Look at <img src="cid:logo@x">this.</p>', subtype="html")
    payload: Any = message.get_payload()
    payload[1].add_related(b"\x89PNG", "image", "png", cid="<logo@x>", filename="logo.png", disposition="attachment")
    parsed = read(message)
    assert "logo" not in parsed.text
    assert not parsed.remarks


def test_only_so_many_attachments_are_read() -> None:
    # K3
    message = make_message()
    for index in range(53):
        message.add_attachment(f"note {index}".encode(), maintype="text", subtype="plain", filename=f"{index}.txt")
    parsed = read(message)
    assert len(parsed.sections) == 51
    assert len(parsed.remarks) == 3
    assert "'50.txt'" in parsed.remarks[0]
    assert len(read(message).sections) == 51  # the count begins anew with each upload


def test_a_letter_inside_a_letter_is_read_to_a_depth() -> None:
    # K5, K3
    message = make_message("Innermost.", subject="Level 1")
    for level in range(2, 7):
        outer = make_message(f"Words of {level}.", subject=f"Level {level}")
        outer.add_attachment(message)
        message = outer
    parsed = read(message)
    assert [name for name, _ in inside(parsed)] == [
        None,
        "Level 5.eml",
        "Level 5.eml/Level 4.eml",
        "Level 5.eml/Level 4.eml/Level 3.eml",
    ]
    assert parsed.sections[1].headings == ("Level 5",)
    assert any("Level 2.eml" in remark and "deep" in remark for remark in parsed.remarks)
    assert "Innermost" not in parsed.text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?utf-8?B?4oKs?=\n\nx", "# Grüße€\n"),
        ("Subject: Grüße\n\nx".encode(), "# Grüße\n"),
        ("Subject: Grüße\n\nx".encode("latin-1"), "# Grüße\n"),
        (b"Subject: =?nonsense?B?!!?=\n\nstill here", "still here"),
        (b"Content-Type: text/plain; charset=nonsense\n\nGr\xc3\xbc\xc3\x9fe", "Grüße"),
        (b"Content-Type: text/plain; charset=utf-8\n\n" + "schöne größere Grüße".encode("cp1252"), "größere Grüße"),
        (b"Content-Type: text/plain; charset=gb2312\n\n" + "这是一封中文邮件".encode("gb18030"), "这是一封中文邮件"),
        (b"Content-Type: text/plain; charset=gb2312\n\n" + "这是一封中文邮件".encode(), "这是一封中文邮件"),
        (b"Content-Type: text/plain; charset=us-ascii\n\nGr\xc3\xbc\xc3\x9fe", "Grüße"),
        (
            b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + "日本語のメール".encode("iso2022_jp"),
            "日本語のメール",
        ),
        (b"\xef\xbb\xbfSubject: Marked\n\nx", "# Marked\n"),
        (b"Content-Transfer-Encoding: base64\n\nR3LDvMOfZQ", "Grüße"),
        (
            b"Content-Type: text/plain; format=flowed\n\nOne line \nthat goes on.\n> quoted \n-- \nMe",
            "One line that goes on.\n> ",
        ),
        (b"From someone Mon Mar 17 11:15:17 2014\nSubject: Posted\n\nx", "# Posted\n"),
        (b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nno end of it", "no end of it"),
        (b"Content-Type: multipart/mixed\n\nno boundary", "no boundary"),
        (b"no header at all", "no header at all"),
    ],
)
def test_broken_and_foreign_encodings_are_tolerated(content: bytes, expected: str) -> None:
    # K1
    assert expected in read(content).text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--", "encrypted"),
        (b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx", "encrypted"),
        (b"Content-Type: application/pkcs7-mime; smime-type=signed-data\n\nx", "signature"),
        (b"Subject: s\n\n-----BEGIN PGP MESSAGE-----\n\nx", "encrypted"),
        (b"\n\n", "no text"),
        (b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000)), "deep"),
    ],
    ids=["pgp", "smime", "sealed", "inline", "empty", "nested"],
)
def test_what_cannot_be_read_fails_and_says_why(content: bytes, words: str) -> None:
    # K3
    with pytest.raises(DocumentFault, match=words):
        read(content)


def test_a_mailbox_gives_each_message_under_its_subject() -> None:
    # K1, K5
    first = make_message("One.\nFrom here on 2026 is quoted.", subject="First")
    first.add_attachment(b"Attached", maintype="text", subtype="plain", filename="a.txt")
    letters = [
        first.as_bytes(unixfrom=False).replace(b"\nFrom here", b"\n>From here"),
        b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n",
        make_message("Two.", subject="Second").as_bytes(),
    ]
    content = b"".join(b"From a@example.org Mon Mar 02 10:00:00 2026\n" + letter + b"\n" for letter in letters)
    parsed = parse_mbox(content, parse_part=parse_part)
    assert [(section.headings, section.inside) for section in parsed.sections] == [
        (("First",), None),
        ((), "a.txt"),
        (("Second",), None),
    ]
    assert "\nFrom here on 2026" in parsed.text
    assert parsed.remarks[0].startswith("Message 2 was left out: The message is encrypted")
    with pytest.raises(DocumentFault, match="no message"):
        parse_mbox(b"just words", parse_part=parse_part)


def outlook_message(**properties: bytes) -> dict[str, Any]:
    """The streams of a message, by the numbers of its properties."""
    submitted = 132_536_736_000_000_000
    return {
        "__properties_version1.0": numbers(32, (0x0039, 0x0040, submitted)),
        "__substg1.0_001A001F": text("IPM.Note"),
        "__substg1.0_0037001F": text("Pläne"),
        "__substg1.0_0C1A001F": text("Ann"),
        "__substg1.0_0C1F001F": text("ann@example.org"),
        "__recip_version1.0_#00000000": {
            "__properties_version1.0": numbers(8, (0x0C15, 0x0003, 1)),
            "__substg1.0_3001001F": text("Bob"),
            "__substg1.0_39FE001F": text("bob@example.org"),
        },
        "__recip_version1.0_#00000001": {
            "__properties_version1.0": numbers(8, (0x0C15, 0x0003, 2)),
            "__substg1.0_3001001F": text("Cid"),
        },
        **{f"__substg1.0_{name.removeprefix('p')}": content for name, content in properties.items()},
    }


def test_an_outlook_message_shows_people_date_body_and_attachments() -> None:
    # K1, K5
    enclosed = outlook_message(p1000001F=text("Inner words."), p0037001F=text("Inner"))
    message = outlook_message(p1000001F=text("Hello\r\nthere.")) | {
        "__attach_version1.0_#00000000": {
            "__properties_version1.0": numbers(8),
            "__substg1.0_3707001F": text("note.txt"),
            "__substg1.0_37010102": b"word " * 1_000,
        },
        "__attach_version1.0_#00000001": {
            "__properties_version1.0": numbers(8),
            "__substg1.0_3001001F": text("Inner"),
            "__substg1.0_3701000D": enclosed,
        },
    }
    parsed = parse_msg(make_msg(message), parse_part=parse_part)
    assert parsed.text.startswith(
        "# Pläne\n\nFrom: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nCc: Cid\nDate: 2020-12-29 00:00 UTC\n"
        "Attachments: note.txt, Inner\n\nHello\nthere.\n\n"
    )
    assert [(section.inside, section.headings) for section in parsed.sections] == [
        (None, ("Pläne",)),
        ("note.txt", ()),
        ("Inner", ("Inner",)),
    ]
    assert "Inner words." in parsed.text


def test_an_outlook_body_may_be_html_or_packed_rich_text() -> None:
    # K1
    page = outlook_message(p10130102="<h2>Größe</h2><p>In HTML.</p>".encode("cp1252"))
    page["__properties_version1.0"] = numbers(32, (0x3FDE, 0x0003, 1252))
    parsed = parse_msg(make_msg(page), parse_part=parse_part)
    assert parsed.sections[-1].headings == ("Pläne", "Größe")
    # "{\rtf1 wordword}": the dictionary's first letters, then letters as they are, then the last four again.
    packed = bytes([0b00000001]) + struct.pack(">H", (0 << 4) | 4) + b" word" + b"wo" + bytes([0]) + b"rd}"
    rich = struct.pack("<II4sI", len(packed) + 12, 16, b"LZFu", 0) + packed
    parsed = parse_msg(make_msg(outlook_message(p10090102=rich)), parse_part=parse_part)
    assert parsed.text.endswith("\n\nwordword\n\n")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (outlook_message(p001A001F=text("IPM.Note.SMIME")), "encrypted"),
        (outlook_message(p007D001F=text("Content-Type: multipart/encrypted; x=y")), "encrypted"),
        (
            outlook_message() | {"__attach_version1.0_#00000000": {"__substg1.0_3707001F": text("message.rpmsg")}},
            "rights management",
        ),
    ],
    ids=["smime", "pgp", "rights"],
)
def test_a_protected_outlook_message_fails_and_says_why(message: dict[str, Any], words: str) -> None:
    # K3
    with pytest.raises(DocumentFault, match=words):
        parse_msg(make_msg(message), parse_part=parse_part)


@pytest.mark.parametrize("cut", [4, 600, 3_000])
def test_a_damaged_outlook_message_fails_as_such(cut: int) -> None:
    # K3
    content = make_msg(outlook_message(p1000001F=text("Hello")))
    with pytest.raises(DocumentFault, match="damaged"):
        parse_msg(content[:cut], parse_part=parse_part)


async def test_mail_of_each_kind_is_read_in_the_confined_reader() -> None:
    # K1
    message = make_message()
    message.add_attachment(b"<h1>Page</h1><p>Attached words", maintype="text", subtype="html", filename="page.html")
    pool = ParserPool(size=1, limits=ParserLimits())
    try:
        single = await pool.parse("message/rfc822", message.as_bytes())
        mailbox = await pool.parse("application/mbox", b"From a Mon Mar 02 10:00:00 2026\n" + message.as_bytes())
        outlook = await pool.parse("application/vnd.ms-outlook", make_msg(outlook_message(p1000001F=text("Hello"))))
    finally:
        await pool.close()
    for parsed in (single, mailbox):
        assert [(section.inside, section.headings) for section in parsed.sections] == [
            (None, ("Plans",)),
            ("page.html", ("Page",)),
        ]
    assert outlook.title == "Pläne"
