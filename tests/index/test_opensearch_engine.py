"""The engine on OpenSearch without a cluster: its address, what it does where nobody answers, and its library."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from padron.config import load
from padron.countries import REGISTRY
from padron.directory import run
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.index import engines, opensearch_engine, release_index
from padron.index.opensearch_engine import Address
from ports import free_port

WHOLE = "https://search:p%40ss@node-1,node-2:9201/registers?shards=3&replicas=2&timeout=0.5&ca=/etc/search.pem"


def test_an_address_says_all_of_a_cluster() -> None:
    assert Address.parse(WHOLE) == Address(
        nodes=(("node-1", 443), ("node-2", 9201)),
        tls=True,
        login=("search", "p@ss"),
        prefix="registers",
        shards=3,
        replicas=2,
        timeout=0.5,
        authorities="/etc/search.pem",
    )
    assert Address.parse("http://[::1]") == Address((("::1", 9200),), False, None, "padron", 1, 1, 2.0, None)
    assert load({"PADRON_SEARCH__URL": WHOLE}).search.url == WHOLE


def test_a_login_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "login"
    file.write_text("search:p@ss:w%40rd\nanything\n")
    assert Address.parse(f"https://node?login={file}").login == ("search", "p@ss:w%40rd")
    for url, content in ((f"https://user:word@node?login={file}", "a:b"), (f"https://node?login={file}", "no login")):
        file.write_text(content)
        with pytest.raises(Invalid, match="bad-setting"):
            Address.parse(url)
    with pytest.raises(Invalid, match="bad-setting"):
        Address.parse(f"https://node?login={tmp_path / 'none'}")


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://,node",
        "http://node:0",
        "http://node:port",
        "http://node/Upper",
        "http://node/a/b",
        "http://node/*",
        "http://node?shards=0",
        "http://node?shards=many",
        "http://node?replicas=-1",
        "http://node?timeout=0",
        "http://node?timeout=nan",
        "http://node?nodes=3",
        "http://node?shards",
        "http://node#part",
        "https://node?ca=/no/such/file",
    ],
)
def test_an_address_that_is_wrong_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="bad-setting") as refused:
        engines.engine_kind(url)
    assert refused.value.context["setting"] == "PADRON_SEARCH__URL"
    assert "node" not in str(refused.value.context["expected"]).split("@")[0], "it may hold a password"


def test_a_cluster_that_does_not_answer_stops_a_build_and_an_opening(tmp_path: Path) -> None:
    kind = engines.engine_kind(f"http://127.0.0.1:{free_port()}/padron")
    with pytest.raises(Unavailable, match="engine-unavailable") as refused:
        kind.remove_others(())
    assert refused.value.context == {"reason": "ConnectionError"}
    with pytest.raises(Unavailable, match="engine-unavailable"):
        release_index.build((), tmp_path / "index", REGISTRY, kind)


def test_an_index_of_another_engine_is_refused(index: Path) -> None:
    kind = engines.engine_kind("http://127.0.0.1:1/padron")
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(index, kind))


def test_a_cluster_that_is_down_is_asked_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(opensearch_engine, "monotonic", lambda: clock[0])
    breaker = opensearch_engine._Breaker()
    for _ in range(5):
        breaker.admit()
        breaker.failed()
    with pytest.raises(Unavailable, match="engine-unavailable"):
        breaker.admit()
    clock[0] += 1.0
    breaker.admit()
    with pytest.raises(Unavailable):
        breaker.admit()
    clock[0] += 1.0
    breaker.admit()
    breaker.succeeded()
    breaker.admit()
    breaker.admit()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    load_module = builtins.__import__

    def without(name, *rest):
        if name == "padron.index.opensearch_engine":
            raise ModuleNotFoundError("no", name="opensearchpy")
        return load_module(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Invalid, match="search-not-installed"):
        engines.engine_kind("https://node/padron")
