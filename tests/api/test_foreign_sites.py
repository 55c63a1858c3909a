"""What another site can do to somebody signed in by sending their browser here: nothing they do not agree to."""

import re

import httpx
import pytest

from api.people import COOKIE, invite, join, token_in, user_id_of, visitor
from harness import Server, Workspace, data_of, failure_of

ELSEWHERE = ["cross-site", "same-site"]


def opened_by(site: str, dest: str = "document") -> dict[str, str]:
    """What a browser says of a link that a page of another site opened."""
    return {"Accept": "text/html", "Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest}


@pytest.fixture
def trap(server: Server) -> Workspace:
    """The workspace of somebody who means no good."""
    return server.new_workspace("Trap")


@pytest.mark.parametrize("site", ELSEWHERE)
def test_a_form_of_another_site_signs_nobody_out(site: str, server: Server) -> None:
    # F2: a browser leaves the cookie out of such a form and would still take its removal from the answer.
    answer = visitor(server).post("/api/sign-out", headers={"Sec-Fetch-Site": site})
    failure_of(answer, 403, "CROSS_SITE")
    assert "set-cookie" not in answer.headers


# Of our own pages too: there are links in them that the authors of documents wrote.
@pytest.mark.parametrize("site", [*ELSEWHERE, "same-origin"])
def test_who_is_signed_in_is_asked_before_a_link_that_a_page_led_to_is_used(
    site: str, server: Server, workspace: Workspace, trap: Workspace
) -> None:
    # F2: else they would go on working as somebody else, or in a workspace of somebody else's.
    victim, stranger = join(server, workspace, "owner"), join(server, trap, "owner", "Mallory")
    before = user_id_of(victim)
    links = [data_of(stranger.post("/api/sign-in-links"))["url"], invite(trap)]
    for link in links:
        asked = victim.get(link, headers=opened_by(site))
        assert (asked.status_code, "set-cookie" in asked.headers) == (303, False)
        # To the page that asks; behind the '#' the secret is in no log and is told to nobody.
        assert asked.headers["location"] == f"/welcome/link#{token_in(link)}"
        question = victim.get("/welcome/link", headers=opened_by(site))
        assert "form-action 'self'" in question.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in question.headers["content-security-policy"]
        for foreign in ELSEWHERE:
            form, sent = {"token": token_in(link)}, {"Sec-Fetch-Site": foreign}
            failure_of(victim.post("/sign-in/agreed", data=form, headers=sent), 403, "CROSS_SITE")
    assert user_id_of(victim) == before
    assert [entry["id"] for entry in data_of(victim.get("/api/workspaces"))] == [workspace.id]
    # Who agrees goes on, and the link is used up then.
    agreed, ours = {"token": token_in(links[1])}, {"Sec-Fetch-Site": "same-origin"}
    assert victim.post("/sign-in/agreed", data=agreed, headers=ours).headers["location"] == f"/?joined={trap.id}"
    assert {entry["id"] for entry in data_of(victim.get("/api/workspaces"))} == {workspace.id, trap.id}
    assert user_id_of(victim) == before
    failure_of(victim.post("/sign-in/agreed", data=agreed, headers=ours), 401, "UNAUTHENTICATED")


def test_a_link_from_a_letter_still_signs_in_who_is_not(server: Server, workspace: Workspace) -> None:
    # F2
    reader = visitor(server)
    assert reader.get(invite(workspace), headers=opened_by("cross-site")).status_code == 303
    assert COOKIE in reader.cookies
    # And one that is typed or pasted is what its owner wants.
    assert reader.get(invite(workspace), headers=opened_by("none")).status_code == 303


@pytest.mark.parametrize("dest", ["image", "iframe", "empty", "script"])
def test_a_link_is_opened_not_loaded(dest: str, server: Server, workspace: Workspace) -> None:
    # F2: an image whose address is a link would use it up, and sign in behind somebody's back.
    link = invite(workspace)
    loaded = visitor(server).get(link, headers=opened_by("same-site", dest))
    failure_of(loaded, 403, "CROSS_SITE")
    assert "set-cookie" not in loaded.headers
    assert visitor(server).get(link).status_code == 303


def test_what_a_link_carries_cannot_become_part_of_the_question(server: Server, workspace: Workspace) -> None:
    # F2
    victim = join(server, workspace, "viewer")
    for sent in ('"><script>x</script>', "//evil.example", "\r\nSet-Cookie: x=y", "#?&"):
        asked = victim.get("/sign-in", params={"token": sent}, headers=opened_by("cross-site"))
        assert (asked.status_code, "set-cookie" in asked.headers) == (303, False)
        assert re.fullmatch(r"/welcome/link#[\w.%-]+", asked.headers["location"])


def test_no_answer_runs_anything_and_private_ones_are_not_kept(server: Server, workspace: Workspace) -> None:
    # F2
    for place in ("/api/me", "/api/nothing", "/healthz", "/metrics", "/sign-in?token=x", "/api/originals?token=x"):
        headers = workspace.client.get(place).headers
        assert "default-src 'none'" in headers["content-security-policy"], place
        assert "no-store" in headers["cache-control"], place
    foreign = httpx.get(f"{server.url}/", headers={"Host": "evil.example"})
    assert "default-src 'none'" in foreign.headers["content-security-policy"]
