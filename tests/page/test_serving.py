"""How the page is served: what browsers may keep, what they may run, and what is said when it is not built."""

import re
from pathlib import Path

import httpx
import pytest

from harness import Server, failure_of
from pinakes.api import page
from pinakes.api.application import make_api

built = pytest.mark.skipif(not (page.BUILT / "index.html").is_file(), reason="The page is not built: pip install -e .")


@built
@pytest.mark.parametrize("path", ["/", "/knowledge", "/settings/keys", "/no/such/page", "/index.html", "/apiary"])
def test_every_path_of_the_page_is_the_page_and_is_asked_for_anew(path: str, server: Server) -> None:
    # K5
    answer = httpx.get(server.url + path)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
    assert '<div id="root">' in answer.text


@built
def test_the_policy_lets_nothing_in_but_our_own_files(server: Server) -> None:
    # F2
    first, second = (httpx.get(server.url) for _ in range(2))
    policy = first.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    nonce = re.search(r"'nonce-([\w-]+)'", policy)
    assert nonce
    assert f'content="{nonce[1]}"' in first.text
    assert nonce[1] not in second.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)", first.text)
    assert "://" not in first.text


@built
def test_files_with_a_hash_in_their_name_are_kept_and_come_compressed(server: Server) -> None:
    # E8
    (name,) = re.findall(r'<script type="module"[^>]*src="(/assets/[^"]+)"', httpx.get(server.url).text)
    for encoding in ("br", "gzip"):
        with httpx.stream("GET", server.url + name, headers={"accept-encoding": encoding}) as answer:
            assert answer.headers["content-encoding"] == encoding
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-type"].startswith("text/javascript")
    plain = httpx.get(server.url + name, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("path", ["/assets/none.js", "/assets/..%2Findex.html", "/api/none", "/api", "/docs/none"])
def test_what_is_not_there_stays_an_error(path: str, server: Server) -> None:
    # A1
    failure_of(httpx.get(server.url + path), 404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["/%2e%2e/pyproject.toml", "/..%2f__init__.py", "/sources.sha256", "/%00"])
def test_nothing_beside_the_page_can_be_had(path: str, server: Server) -> None:
    # F2
    answer = httpx.get(server.url + path)
    assert "__version__" not in answer.text
    assert "hatchling" not in answer.text
    assert not re.fullmatch(r"[0-9a-f]{64}", answer.text)


async def test_without_a_built_page_the_server_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # K5
    monkeypatch.setattr(page, "BUILT", tmp_path)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(make_api()), base_url="http://localhost") as client:
        answer = await client.get("/")
        assert answer.status_code == 503
        assert "pip install ." in answer.text
        assert (await client.get("/assets/index.js")).status_code == 404
        assert (await client.get("/healthz")).status_code == 200
