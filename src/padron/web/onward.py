"""The page to go on to after signing up or logging in: `next` in the address, kept until the mail is read.

Between the form and the link of the mail a cookie keeps it for a day, in the same browser; in another one the link
leads to the account.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs, quote, unquote

from padron.transport.call import Call

_OWN_PAGE = re.compile(r"/(?:es|en)(?:/[A-Za-z0-9._~%-]+)*(?:\?[A-Za-z0-9._~%=&+-]*)?")
"""A path below `/es` or `/en`: never another site, however a browser reads it."""
_LONGEST: Final = 300
_COOKIE: Final = "padron-next"
_KEPT_PAGE: Final = re.compile(rb"(?:^|;)\s*padron-next=([A-Za-z0-9._~%-]*)\s*(?=;|$)")
"""The cookie, as `keep` writes it: the library's own reader takes the square of the length of a header."""
_KEPT: Final = 24 * 3600
"""Seconds, as long as the link of the mail is valid."""


def onward(call: Call) -> str | None:
    """Return the page that the address of a request names, else the one that its cookie keeps."""
    given = parse_qs(call.scope["query_string"].decode("latin-1")).get("next", [])
    return _own(given[0]) if given else _own(_kept(call))


def with_onward(path: str, page: str | None) -> str:
    """Return the path of a page of accounts that leads on to `page`."""
    return f"{path}?next={quote(page, safe='/')}" if page else path


def keep(call: Call, page: str, secure: bool) -> None:
    """Set the cookie in the answer.

    Args:
        secure: Whether the service is reached by https.
    """
    _set(call, f"{_COOKIE}={quote(page, safe='')}; Max-Age={_KEPT}", secure)


def forget(call: Call, secure: bool) -> None:
    """Remove the cookie, if the request has one."""
    if _kept(call):
        _set(call, f"{_COOKIE}=; Max-Age=0", secure)


def _set(call: Call, cookie: str, secure: bool) -> None:
    rest = "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")
    call.headers.append((b"set-cookie", f"{cookie}{rest}".encode()))


def _kept(call: Call) -> str:
    kept = _KEPT_PAGE.search(call.given.get(b"cookie", b""))
    return unquote(kept[1].decode()) if kept else ""


def _own(path: str) -> str | None:
    return path if len(path) <= _LONGEST and _OWN_PAGE.fullmatch(path) else None
