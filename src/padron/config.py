"""Settings: frozen values handed down from the command line, and the only reader of the environment.

Each field is the variable `PADRON_` + its name in capitals; a group's name is joined by two underscores
(`limits.enabled` is `PADRON_LIMITS__ENABLED`). Nothing else in the package looks at `os.environ`.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar, get_type_hints
from urllib.parse import urlsplit

from padron.errors import Invalid
from padron.words import LANGUAGES, N_, Language, bilingual

PREFIX = "PADRON_"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class _Kind(NamedTuple):
    """A kind of setting: a parser of its text that raises `ValueError`, and the expected form in words."""

    parse: Callable[[str], object]
    expected: str


def _address(*schemes: str) -> Callable[[str], str]:
    """Return a parser of addresses with one of these schemes and a host."""

    def parse(text: str) -> str:
        parts = urlsplit(text)
        if parts.scheme not in schemes or not parts.hostname or parts.port == 0:  # a wrong port is a ValueError too
            raise ValueError(text)
        return text

    return parse


def _matching(pattern: str) -> Callable[[str], str]:
    """Return a parser of texts that a pattern matches whole."""

    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return text

    return parse


def _url(text: str) -> str:
    parts = urlsplit(_address("http", "https")(text))
    if parts.query or parts.fragment or parts.username or re.search(r"[^\x21-\x7e]", text):
        raise ValueError(text)
    return text.rstrip("/")


def _path(text: str) -> Path:
    if not text:
        raise ValueError(text)
    return Path(text)


def _flag(text: str) -> bool:
    flags = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return flags[text.lower()]
    except KeyError as error:
        raise ValueError(text) from error


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",")) if text.strip() else ()


def _database(text: str) -> str:
    address = _matching(r"postgresql(\+psycopg)?://[^\s/]*/.+|sqlite:///.+")(text)
    return re.sub(r"^postgresql:", "postgresql+psycopg:", address)


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise ValueError(text)
    return int(text)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) or float(text) == 0:
        raise ValueError(text)
    return float(text)


def _listener(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port is None or parts.path or parts.username is not None:
        raise ValueError(text)
    return parts.hostname, parts.port


def _store(text: str) -> str:
    parts = urlsplit(text)
    if not text or parts.scheme not in {"", "file", "s3", "http", "https"} or parts.username is not None:
        raise ValueError(text)
    return text


def _pairs(text: str) -> Mapping[str, str]:
    pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
    if not all(name and value for name, _, value in pairs):
        raise ValueError(text)
    return {name: value for name, _, value in pairs}


_URL = _Kind(_url, N_("a complete http(s) address without query or fragment"))
_PATH = _Kind(_path, N_("a folder"))
_FLAG = _Kind(_flag, N_("1 or 0"))
_NETWORKS = _Kind(_networks, N_("IP addresses or networks separated by commas, such as 10.0.0.0/8"))
_DATABASE = _Kind(_database, N_("an address postgresql://user@server/database or sqlite:///file"))
_SEARCH = _Kind(_matching(r"[a-z][a-z0-9+.-]*://[^\s/?#]+\S*"), N_("the address of a search engine, with its scheme"))
_COUNT = _Kind(_count, N_("a whole number, 1 or more"))
_SECONDS = _Kind(_seconds, N_("a number of seconds greater than 0"))
_LISTENER = _Kind(_listener, N_("an address and a port, such as 127.0.0.1:8901"))
_REDIS = _Kind(_address("redis", "rediss"), N_("an address redis://server"))
_SMTP = _Kind(_address("smtp", "smtps"), N_("an address smtp:// or smtps://user:password@server"))
_SECRET = _Kind(_matching(r"(?s).{32,}"), N_("a text of 32 characters or more"))
_SENDER = _Kind(_matching(r"[^<>@\x00-\x1f]*<[^<>@\s]+@[^<>@\s]+>"), N_("a sender such as Padrón <a@b.ec>"))
_PROVIDER = _Kind(_matching("sandbox|stripe|none"), N_("sandbox, stripe or none"))
_CONTACT = _Kind(_matching(r"[\x20-\x7e]*[^@\s]+@[^@\s]+\.[^@\s]+"), N_("a name and a mail address: Acme data@acme.ec"))
_STORE = _Kind(_store, N_("a folder, or an address s3://, https:// or http:// without a password"))
_PUBLIC_KEY = _Kind(_matching(r"RW[A-Za-z0-9+/]{54}"), N_("a public key of minisign, which begins with RW"))
_PAIRS = _Kind(_pairs, N_("pairs NAME=VALUE separated by commas"))


@dataclass(frozen=True, kw_only=True)
class Search:
    """The engine that holds the companies: `url` names one on the network; without it, the embedded one."""

    url: Annotated[str | None, _SEARCH] = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Rate limits and quotas: `enabled` off switches all off; `url` names the Redis that counts for all machines.

    Without it the workers of this machine count together, in memory they share.
    """

    enabled: Annotated[bool, _FLAG] = True
    url: Annotated[str | None, _REDIS] = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Accounts:
    """The accounts: `url` names a database (by default SQLite in the data folder), `secret` keys its digests.

    Without `secret` one is made in the data folder. `plans` is a table to use instead of the bundled `plans.toml`.
    """

    url: Annotated[str | None, _DATABASE] = field(default=None, repr=False)
    secret: Annotated[str | None, _SECRET] = field(default=None, repr=False)
    plans: Annotated[Path | None, _PATH] = None


@dataclass(frozen=True, kw_only=True)
class Mail:
    """Mail to account holders: `url` names an SMTP server; without it mails are written to the data folder."""

    url: Annotated[str | None, _SMTP] = field(default=None, repr=False)
    sender: Annotated[str, _SENDER] = "Padrón <padron@localhost>"

    @property
    def address(self) -> str:
        """The address of `sender`, where people reach us."""
        return self.sender.partition("<")[2].removesuffix(">")


@dataclass(frozen=True, kw_only=True)
class Billing:
    """Payment: `stripe` with its key and the secret of its webhook, `sandbox` (nobody pays), or `none`.

    Without a `provider` it is Stripe where its key is given, the sandbox where `base_url` is this machine only, else
    none: a service on the net never gives plans away by default. `stripe_url` is the address of Stripe's API. With
    `coupons` its payment page takes codes of promotions.
    """

    provider: Annotated[str | None, _PROVIDER] = None
    stripe_key: Annotated[str | None, _SECRET] = field(default=None, repr=False)
    stripe_webhook_secret: Annotated[str | None, _SECRET] = field(default=None, repr=False)
    stripe_url: Annotated[str, _URL] = "https://api.stripe.com"
    coupons: Annotated[bool, _FLAG] = False

    @property
    def chosen(self) -> str | None:
        """The provider, where the settings of billing alone decide it."""
        return self.provider or ("stripe" if self.stripe_key else None)


@dataclass(frozen=True, kw_only=True)
class Server:
    """The HTTP service. Only peers in `trusted_proxies` are believed about the client's address.

    `operations` is a listener for health, readiness and metrics alone; without it, port 8901 of this machine if it is
    free. Each worker has at most so many `connections`, of one address so many unless it is a trusted proxy. The four
    times are in seconds: from connecting, or the first byte of a later request, to a complete header; from there to
    a complete body; between two requests; and for the client to take what is ready for it.
    """

    trusted_proxies: Annotated[tuple[Network, ...], _NETWORKS] = ()
    operations: Annotated[tuple[str, int] | None, _LISTENER] = None
    connections: Annotated[int, _COUNT] = 8_192
    connections_per_address: Annotated[int, _COUNT] = 256
    header_timeout: Annotated[float, _SECONDS] = 10.0
    body_timeout: Annotated[float, _SECONDS] = 20.0
    idle_timeout: Annotated[float, _SECONDS] = 60.0
    send_timeout: Annotated[float, _SECONDS] = 30.0


@dataclass(frozen=True, kw_only=True)
class Fetch:
    """Downloads of official files: `contact` names the operator (the SEC refuses without), as `Acme data@acme.ec`.

    `mirrors` are HOST=ADDRESS: the files of the host are downloaded from there instead. `shares` are SOURCE=ID: another
    share of a source that has one, with the folder of its months where they lie in one (`ID/Dados/CNPJ`).
    """

    contact: Annotated[str | None, _CONTACT] = None
    mirrors: Annotated[Mapping[str, str], _PAIRS] = field(default_factory=dict)
    shares: Annotated[Mapping[str, str], _PAIRS] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Releases:
    """Releases that travel: `store` is where they are pushed to and pulled from.

    `signing_key` is the file of a secret key of minisign, without a password, that signs what is pushed; a release that
    `trusted_key` did not sign is never pulled.
    """

    store: Annotated[str | None, _STORE] = None
    signing_key: Annotated[Path | None, _PATH] = None
    trusted_key: Annotated[str | None, _PUBLIC_KEY] = None


@dataclass(frozen=True, kw_only=True)
class Traces:
    """Spans of requests: `url` is the collector that takes them by OTLP over HTTP; without it there are none."""

    url: Annotated[str | None, _URL] = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings. `base_url` (never the Host header) begins the addresses we hand out; `data` is the data folder.

    `suppressions` is the list of companies that answer as not found (`padron.releases.suppression`).
    """

    base_url: Annotated[str, _URL] = "http://127.0.0.1:8000"
    data: Annotated[Path, _PATH] = Path("var")
    search: Search = Search()
    accounts: Accounts = Accounts()
    limits: Limits = Limits()
    mail: Mail = Mail()
    billing: Billing = Billing()
    server: Server = Server()
    fetch: Fetch = Fetch()
    releases: Releases = Releases()
    traces: Traces = Traces()
    suppressions: Annotated[Path | None, _PATH] = None

    @property
    def is_local(self) -> bool:
        """True if the addresses we hand out are of this machine only."""
        return urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def mail_folder(self) -> Path:
        """The folder of mails, where no server sends them."""
        return self.data / "mail"


def load(environment: Mapping[str, str] = os.environ, *, data: Path | None = None, port: int | None = None) -> Settings:
    """Return the settings of `environment`, with defaults; `data` takes precedence over the folder given there.

    A service that listens on `port` begins its addresses with that of this machine, where no other is given.

    Raises `Invalid("bad-settings")` whose `faults` hold one `Invalid` for every variable that begins with `PADRON_` and
    is wrong or unknown, and for Stripe without its secrets. A fault never holds the value: it may be a secret.
    """
    left = {name: text for name, text in environment.items() if name.startswith(PREFIX)}
    if port:
        left.setdefault(f"{PREFIX}BASE_URL", f"http://127.0.0.1:{port}")
    known: list[str] = []
    faults: list[Invalid] = []
    settings = _read(Settings, PREFIX, left, known, faults)
    for name in sorted(left):
        nearest = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0)[0]
        faults.append(Invalid("unknown-setting", setting=name, nearest=nearest))
    billing = settings.billing
    if billing.chosen == "stripe" and not (billing.stripe_key and billing.stripe_webhook_secret):
        faults.append(Invalid("billing-incomplete"))
    if faults:
        raise Invalid("bad-settings", faults=tuple(faults))
    return replace(settings, data=data) if data else settings


def is_given(setting: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the environment states a setting, by its name without the prefix."""
    return f"{PREFIX}{setting}" in environment


def reader_language(unset: Language = "en", environment: Mapping[str, str] = os.environ) -> Language:
    """Return the language of the terminal (variables in the order of gettext): Spanish unless it is English.

    LANGUAGE may name several, separated by colons: the first that there is counts.

    Args:
        unset: The language where no variable names one (`C`): other programs speak English there.
    """
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    given = next((text for name in names if (text := environment.get(name))), "C")
    if given.partition(".")[0] in {"C", "POSIX"}:
        return unset
    return next((language for tag in given.split(":") for language in LANGUAGES if tag.startswith(language)), "es")


def build_time(environment: Mapping[str, str] = os.environ) -> datetime:
    """Return the time at which a release is built, in seconds: `SOURCE_DATE_EPOCH`, to repeat a build, else now.

    Raises `Invalid("bad-setting")` if that variable is no number of seconds since 1970.
    """
    epoch = environment.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).replace(microsecond=0)
    if not re.fullmatch(r"[0-9]{1,10}", epoch):
        expected = bilingual("a number of seconds since 1970")
        raise Invalid("bad-setting", setting="SOURCE_DATE_EPOCH", expected=expected)
    return datetime.fromtimestamp(int(epoch), UTC)


_Group = TypeVar("_Group")


def _read(group: type[_Group], prefix: str, left: dict[str, str], known: list[str], faults: list[Invalid]) -> _Group:
    """Return a group filled from the variables `left`, which loses them.

    The names of its variables are added to `known`, and a fault for each wrong value to `faults`.
    """
    values: dict[str, object] = {}
    for member, hint in get_type_hints(group, include_extras=True).items():
        name = prefix + member.upper()
        if isinstance(hint, type) and is_dataclass(hint):
            values[member] = _read(hint, f"{name}__", left, known, faults)
            continue
        known.append(name)
        text = left.pop(name, None)
        if text is not None:
            kind: _Kind = hint.__metadata__[0]
            try:
                values[member] = kind.parse(text)
            except ValueError:
                faults.append(Invalid("bad-setting", setting=name, expected=bilingual(kind.expected)))
    return group(**values)
