"""The one place that encrypts credentials and signs links."""

import base64
import binascii
import hmac
import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pinakes.domain.errors import Forbidden, InvalidInput, PinakesError

KEY_BYTES = 32
_VERSION = b"\x01"
_KEY_ID_BYTES = 4
_NONCE_BYTES = 12
_EXPIRY_BYTES = 8
_MAC_BYTES = 16


def load_secret_key(path: Path) -> bytes:
    """The key in this file, made at the first call; whoever comes at the same time gets the same key."""
    if not path.exists():
        _make_key_file(path)
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            raise PinakesError(
                f"The secret key {path} is open to other users (mode {mode:04o}). Run: chmod 600 '{path}'. "
                "If others may have read it, make a new one and enter the stored credentials again.",
                code="SECRET_KEY_UNUSABLE",
            )
        content = file.read(1024)
    key = parse_secret_key(content.decode("ascii", "replace"))
    if key is None:
        raise PinakesError(
            f"The secret key {path} is damaged: it should be {2 * KEY_BYTES} hexadecimal digits. Restore it "
            "from a back-up, or remove it and enter the stored credentials again.",
            code="SECRET_KEY_UNUSABLE",
        )
    return key


def parse_secret_key(text: str) -> bytes | None:
    """The key that these hexadecimal digits stand for, or None if they stand for none."""
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def _make_key_file(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_hex(KEY_BYTES)}\n")
            file.flush()
            os.fsync(file.fileno())
        # A link fails where the name is taken, a rename would replace the key another process already uses.
        os.link(draft, path)
        _flush_folder(path.parent)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Vault:
    """Seals credentials and signs links with the first key; opens and verifies with any of them."""

    def __init__(self, *keys: bytes) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise InvalidInput(f"A vault needs at least one key, each of {KEY_BYTES} bytes.")
        self._keys: Sequence[bytes] = keys

    def seal(self, workspace_id: str, purpose: str, plaintext: str) -> bytes:
        """The credential encrypted, to be opened for this workspace and purpose only."""
        key = self._keys[0]
        nonce = secrets.token_bytes(_NONCE_BYTES)
        head = _VERSION + _key_id(key)
        cipher = AESGCM(_derive(key, "seal", purpose))
        return head + nonce + cipher.encrypt(nonce, plaintext.encode(), _bound_to(head, workspace_id, purpose))

    def open(self, workspace_id: str, purpose: str, sealed: bytes) -> str:
        """The credential that was sealed for this workspace and purpose."""
        head, rest = sealed[: 1 + _KEY_ID_BYTES], sealed[1 + _KEY_ID_BYTES :]
        if head[:1] != _VERSION:
            raise PinakesError(
                "This credential was stored by another version of Pinakes. Enter it again.",
                code="CREDENTIAL_UNREADABLE",
            )
        key = next((key for key in self._keys if _key_id(key) == head[1:]), None)
        if key is None:
            raise PinakesError(
                "This credential was stored under another secret key. Restore that key from a back-up, "
                "or enter the credential again.",
                code="SECRET_KEY_MISMATCH",
            )
        nonce, ciphertext = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
        cipher = AESGCM(_derive(key, "seal", purpose))
        try:
            return cipher.decrypt(nonce, ciphertext, _bound_to(head, workspace_id, purpose)).decode()
        except (InvalidTag, ValueError) as error:
            raise PinakesError(
                "This credential was changed after it was stored, or belongs elsewhere. Enter it again.",
                code="CREDENTIAL_UNREADABLE",
            ) from error

    def sign(self, purpose: str, payload: str, expires_at: int) -> str:
        """A token for a URL that carries the payload in clear until the given second."""
        body = _VERSION + expires_at.to_bytes(_EXPIRY_BYTES) + payload.encode()
        return _to_text(_mac(self._keys[0], purpose, body) + body)

    def verify(self, purpose: str, token: str, now: int) -> str:
        """The payload of a token signed for this purpose that has not expired."""
        decoded = _from_text(token)
        mac, body = decoded[:_MAC_BYTES], decoded[_MAC_BYTES:]
        # Every key is tried, so that the time taken does not tell which one signed.
        signed = [hmac.compare_digest(mac, _mac(key, purpose, body)) for key in self._keys]
        if not any(signed) or body[:1] != _VERSION:
            raise Forbidden("This link is not valid. Ask for a new one.", code="LINK_INVALID")
        if now >= int.from_bytes(body[1 : 1 + _EXPIRY_BYTES]):
            raise Forbidden("This link has expired. Ask for a new one.", code="LINK_EXPIRED")
        return body[1 + _EXPIRY_BYTES :].decode()


def _derive(key: bytes, use: str, purpose: str) -> bytes:
    info = f"pinakes/1/{use}/{purpose}".encode()
    return HKDF(algorithm=hashes.SHA256(), length=KEY_BYTES, salt=None, info=info).derive(key)


def _key_id(key: bytes) -> bytes:
    return _derive(key, "key-id", "")[:_KEY_ID_BYTES]


def _bound_to(head: bytes, workspace_id: str, purpose: str) -> bytes:
    workspace = workspace_id.encode()
    return head + len(workspace).to_bytes(4) + workspace + purpose.encode()


def _mac(key: bytes, purpose: str, body: bytes) -> bytes:
    return hmac.digest(_derive(key, "sign", purpose), body, "sha256")[:_MAC_BYTES]


def _to_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _from_text(token: str) -> bytes:
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    # Several spellings decode to the same bytes; only the one we write is ours.
    return data if _to_text(data) == token else b""
