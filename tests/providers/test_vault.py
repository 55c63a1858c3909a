"""Credentials at rest, the key they hang on, and signed links."""

import string
import subprocess
import sys
from pathlib import Path

import pytest

from pinakes.domain.errors import Forbidden, InvalidInput, PinakesError
from pinakes.providers.vault import Vault, load_secret_key

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
SECRET = "sk-live-ключ-🔑"


# C3
def test_the_key_is_made_at_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "secret.key"
    key = load_secret_key(path)
    assert len(key) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0
    assert load_secret_key(path) == key
    assert [entry.name for entry in path.parent.iterdir()] == ["secret.key"]


def test_two_installations_have_different_keys(tmp_path: Path) -> None:
    assert load_secret_key(tmp_path / "a") != load_secret_key(tmp_path / "b")


def test_processes_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    program = (
        "import sys, pathlib; from pinakes.providers.vault import load_secret_key;"
        "sys.stdin.readline(); print(load_secret_key(pathlib.Path(sys.argv[1])).hex())"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    keys = {child.communicate()[0].strip() for child in children}
    assert keys == {load_secret_key(path).hex()}
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret.key"]


# C3
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_can_read_is_refused_with_the_command_that_mends_it(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "secret.key"
    load_secret_key(path)
    path.chmod(mode)
    with pytest.raises(PinakesError, match="chmod 600") as caught:
        load_secret_key(path)
    assert str(path) in caught.value.message
    path.chmod(0o400)
    assert len(load_secret_key(path)) == 32


@pytest.mark.parametrize("content", ["", "abc", "zz" * 32, "00" * 31, "00" * 33, "é"])
def test_a_damaged_key_file_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secret.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(PinakesError, match="damaged"):
        load_secret_key(path)
    assert path.read_text() == content


# C3
@pytest.mark.parametrize("plaintext", ["", SECRET, "x" * 100_000])
def test_a_sealed_credential_opens_again_and_shows_nothing(plaintext: str) -> None:
    vault = Vault(KEY)
    sealed = vault.seal("ws_1", "provider", plaintext)
    assert vault.open("ws_1", "provider", sealed) == plaintext
    assert not plaintext or plaintext.encode() not in sealed
    assert vault.seal("ws_1", "provider", plaintext) != sealed


# F3
@pytest.mark.parametrize(
    ("workspace_id", "purpose"),
    [("ws_2", "provider"), ("ws_1", "webhook"), ("ws_1p", "rovider"), ("", "ws_1provider")],
)
def test_a_credential_copied_elsewhere_does_not_open(workspace_id: str, purpose: str) -> None:
    vault = Vault(KEY)
    sealed = vault.seal("ws_1", "provider", SECRET)
    with pytest.raises(PinakesError) as caught:
        vault.open(workspace_id, purpose, sealed)
    assert caught.value.code == "CREDENTIAL_UNREADABLE"


def test_a_credential_changed_in_any_byte_or_cut_short_does_not_open() -> None:
    vault = Vault(KEY)
    sealed = vault.seal("ws_1", "provider", "key")
    changed = [sealed[:i] + bytes([sealed[i] ^ 1]) + sealed[i + 1 :] for i in range(len(sealed))]
    shortened = [sealed[:i] for i in range(len(sealed))]
    for damaged in changed + shortened:
        with pytest.raises(PinakesError):
            vault.open("ws_1", "provider", damaged)


def test_a_wrong_key_says_so() -> None:
    sealed = Vault(KEY).seal("ws_1", "provider", SECRET)
    with pytest.raises(PinakesError, match="another secret key") as caught:
        Vault(OTHER_KEY).open("ws_1", "provider", sealed)
    assert caught.value.code == "SECRET_KEY_MISMATCH"


def test_after_a_rotation_old_credentials_open_and_new_ones_use_the_new_key() -> None:
    before = Vault(KEY).seal("ws_1", "provider", SECRET)
    rotated = Vault(OTHER_KEY, KEY)
    assert rotated.open("ws_1", "provider", before) == SECRET
    after = rotated.seal("ws_1", "provider", SECRET)
    assert Vault(OTHER_KEY).open("ws_1", "provider", after) == SECRET
    link = Vault(KEY).sign("download", "doc", 100)
    assert rotated.verify("download", link, 99) == "doc"


@pytest.mark.parametrize("keys", [(), (b"short",), (KEY, b"")])
def test_a_vault_without_a_proper_key_is_refused(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(InvalidInput):
        Vault(*keys)


# K13
@pytest.mark.parametrize("payload", ["ws_1/doc_7", "", "資料 ?&=/#.pdf"])
def test_a_signed_link_gives_its_payload_back_until_it_expires(payload: str) -> None:
    vault = Vault(KEY)
    token = vault.sign("download", payload, 1900)
    assert set(token) <= set(string.ascii_letters + string.digits + "-_")
    assert vault.verify("download", token, 1000) == payload
    assert vault.verify("download", token, 1899) == payload
    with pytest.raises(Forbidden) as caught:
        vault.verify("download", token, 1900)
    assert caught.value.code == "LINK_EXPIRED"


# K13
def test_a_link_changed_in_any_character_is_invalid_and_not_merely_expired() -> None:
    vault = Vault(KEY)
    token = vault.sign("download", "ws_1/doc_7", 1900)
    for i, character in enumerate(token):
        other = "A" if character != "A" else "B"
        with pytest.raises(Forbidden) as caught:
            vault.verify("download", token[:i] + other + token[i + 1 :], 5000)
        assert caught.value.code == "LINK_INVALID"


# K13
@pytest.mark.parametrize("extra", ["", "=", "A", "AAAA", " ", "\n", "é", "🔑", "."])
def test_what_is_no_link_of_ours_is_invalid(extra: str) -> None:
    vault = Vault(KEY)
    token = (vault.sign("download", "doc", 1900) + extra) if extra else ""
    with pytest.raises(Forbidden) as caught:
        vault.verify("download", token, 1000)
    assert caught.value.code == "LINK_INVALID"


# K13
def test_a_link_of_another_purpose_or_key_is_invalid() -> None:
    token = Vault(KEY).sign("sign-in", "doc", 1900)
    for vault, purpose in ((Vault(KEY), "download"), (Vault(OTHER_KEY), "sign-in")):
        with pytest.raises(Forbidden) as caught:
            vault.verify(purpose, token, 1000)
        assert caught.value.code == "LINK_INVALID"


# C3
def test_a_vault_does_not_show_its_key() -> None:
    vault = Vault(KEY)
    assert KEY.hex() not in f"{vault!r}{vault}"
