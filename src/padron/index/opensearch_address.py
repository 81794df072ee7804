"""The address of an OpenSearch cluster, the setting `PADRON_SEARCH__URL`.

    https://user:password@node-1:9200,node-2:9200/padron?shards=1&replicas=1&timeout=2&ca=/etc/ssl/search.pem

Everything behind the nodes may be left out: the path begins the names of the indexes and belongs to one data
folder that builds; `shards` of an index; `replicas` of each shard, as far as there are nodes for them; seconds until an
attempt is given up; the certificates to trust instead of the system's. `login=FILE` names a file with `user:password`
in its first line, as it is, instead of the part before the nodes.
"""

from __future__ import annotations

import re
import ssl
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from padron.errors import Invalid
from padron.words import bilingual

_PREFIX: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
_MOST: Final = 100
"""Shards, replicas and seconds at most: more is a slip."""


class Address(NamedTuple):
    """Nodes of a cluster, and the layout of an index there. `prefix` begins the names of the indexes."""

    nodes: tuple[tuple[str, int], ...]
    tls: bool
    login: tuple[str, str] | None
    prefix: str
    shards: int
    replicas: int
    timeout: float
    authorities: str | None

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read an address. Raises `Invalid("bad-setting")`."""
        try:
            return _address(url)
        except ValueError:
            example = "https://user:password@node-1:9200,node-2:9200/padron?shards=1&replicas=1&timeout=2&ca=FILE"
            expected = bilingual("an address such as {example}", example=example)
            raise Invalid("bad-setting", setting="PADRON_SEARCH__URL", expected=expected) from None

    def connection(self) -> dict[str, Any]:
        """Return what a client needs to connect. Raises `Invalid("bad-setting")` without the certificates it names."""
        known: dict[str, Any] = {
            "hosts": [{"host": host, "port": port} for host, port in self.nodes],
            "http_auth": self.login,
            "use_ssl": self.tls,
            "retry_on_timeout": True,
        }
        if self.tls:
            try:
                known["ssl_context"] = ssl.create_default_context(cafile=self.authorities)
            except OSError:
                expected = bilingual("with a file of certificates as its parameter ca")
                raise Invalid("bad-setting", setting="PADRON_SEARCH__URL", expected=expected) from None
        return known


def _address(url: str) -> Address:
    """Return an address. Raises `ValueError` for a text that is none."""
    parts = urlsplit(url)
    login, _, nodes = parts.netloc.rpartition("@")
    given = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    if file := given.pop("login", None):
        if login:
            raise ValueError(url)
        login = quote(_first_line(Path(file)), safe=":")
    user, _, password = login.partition(":")
    address = Address(
        tuple(_node(node, parts.scheme) for node in nodes.split(",")),
        parts.scheme == "https",
        (unquote(user), unquote(password)) if login else None,
        parts.path.strip("/") or "padron",
        int(given.pop("shards", 1)),
        int(given.pop("replicas", 1)),
        float(given.pop("timeout", 2)),
        given.pop("ca", None),
    )
    if given or parts.fragment or not _PREFIX.fullmatch(address.prefix):
        raise ValueError(url)
    if not (1 <= address.shards <= _MOST and 0 <= address.replicas <= _MOST and 0 < address.timeout <= _MOST):
        raise ValueError(url)
    return address


def _first_line(file: Path) -> str:
    """Return the login in a file. Raises `ValueError` for a file that cannot be read, or holds none."""
    try:
        line = file.read_text("utf-8").partition("\n")[0].strip()
    except OSError as error:
        raise ValueError(file) from error
    if ":" not in line:
        raise ValueError(file)
    return line


def _node(text: str, scheme: str) -> tuple[str, int]:
    parts = urlsplit(f"{scheme}://{text}")
    if not parts.hostname or parts.port == 0:
        raise ValueError(text)
    return parts.hostname, parts.port or (443 if scheme == "https" else 9200)
