"""An account holder of a running service, made through its forms: on the plan Pro, with a key and two checkouts."""

from __future__ import annotations

import re
from typing import NamedTuple

import httpx2

from account_service import PASSWORD, letters, token_in
from process import Server

ADDRESS = "ana@example.ec"


class Member(NamedTuple):
    """The cookies of the session, and the pages of the sandbox: a payment to be made, and the subscription."""

    cookies: dict[str, str]
    checkout: str
    portal: str

    def kept(self, url: str) -> dict[str, list[dict[str, str]]]:
        """The session as a browser keeps it (`storage_state`)."""
        return {"cookies": [{"name": name, "value": value, "url": url} for name, value in self.cookies.items()]}


def member(service: Server) -> Member:
    """Sign up, confirm the address by the mail, make a key, pay for Pro, and begin to pay for more."""
    with httpx2.Client(base_url=service.url, timeout=60) as client:

        def post(path: str, **form: str) -> str:
            answer = client.post(f"/en/account/{path}", data=form)
            assert answer.status_code in {200, 303}, answer.text
            return answer.text

        def sandbox(page: str) -> str:
            action = re.search(r"/sandbox/\w+/[\w-]+", page)
            assert action, page
            return action[0]

        post("sign-up", email=ADDRESS, password=PASSWORD)
        letter = letters(service.log.parent, ADDRESS)[-1]
        post("verify", token=token_in(letter), password=PASSWORD)
        key = re.search(r"pdr_live_\w+", post("keys", do="create", name="program of Ana"))
        assert key
        both = {"authorization": f"Bearer {key[0]}", "apikey": key[0]}
        assert client.get("/api/v1/search?q=petrobras", headers=both).status_code == 200
        client.post(sandbox(post("plan", do="buy", planId="pro")), data={"move": "complete"})
        checkout = sandbox(post("plan", do="buy", planId="business"))
        return Member(dict(client.cookies), checkout, sandbox(post("plan", do="manage")))
