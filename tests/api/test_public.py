"""The public interface over a small directory: every shape, every refusal, in both languages."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import cramjam
import msgspec
import pytest
from starlette.testclient import TestClient

from memory_directory import HINT, PERSON, ROWS, MemoryDirectory, service
from padron.companies.answers import Answer, Entity
from padron.companies.model import Coverage
from padron.errors import messages
from padron.transport.inputs import COUNTRIES

SEARCH = "/api/public/empresas/search"
STATS = "/api/public/empresas/stats"
OPENAPI = "/api/public/openapi.json"
COMPANY = "/api/public/empresas/EC/1790016919001"
TEASER = {
    "legalName", "tradeName", "countryCode", "scheme", "identifier", "idLabel", "confidence", "status",
    "classificationCode", "classificationLabel", "financialsAvailable", "canonicalUrls",
}  # fmt: skip


def test_a_search_answers_exactly_the_members_of_the_specification(client: TestClient) -> None:
    response = client.get(SEARCH, params={"q": " Corporación  Favorita "})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert set(answer) == {"q", "country", "bestMatch", "suggestedCountries", "matchHints", "results"}
    assert answer["q"] == " Corporación  Favorita "
    assert answer["country"] is None
    assert answer["suggestedCountries"] == []
    assert answer["matchHints"] == [HINT.es]
    assert answer["bestMatch"] == answer["results"][0]
    assert set(answer["bestMatch"]) == TEASER
    assert answer["bestMatch"]["canonicalUrls"] == {
        "es": "http://127.0.0.1:8000/es/empresas/ec/1790016919001",
        "en": "http://127.0.0.1:8000/en/companies/ec/1790016919001",
    }
    assert msgspec.json.decode(response.content, type=Answer).results[0].identifier == "1790016919001"


def test_country_and_limit_reach_the_directory(client: TestClient) -> None:
    everybody = client.get(SEARCH, params={"q": "s a", "limit": "20"}).json()
    assert everybody["suggestedCountries"] == [teaser["countryCode"] for teaser in everybody["results"]] != []
    assert len(client.get(SEARCH, params={"q": "s a", "limit": "1"}).json()["results"]) == 1
    brazil = client.get(SEARCH, params={"q": "s a", "country": "br"}).json()
    assert brazil["country"] == "BR"
    assert [teaser["countryCode"] for teaser in brazil["results"]] == ["BR"]
    assert brazil["suggestedCountries"] == []


@pytest.mark.parametrize(
    ("written", "decoded"),
    [
        ("q=%C3%B1and%C3%BA+sa", "ñandú sa"),
        ("q=a%2Bb", "a+b"),
        ("q=a%20b&", "a b"),
        ("q=100%25", "100%"),
        ("q=%zz1", "%zz1"),
        ("q=a=b", "a=b"),
        ("%71=ab", "ab"),
        ("q=" + "x" * 256, "x" * 256),
        ("q=%F0%9F%8F%AD%F0%9F%8F%AD", "🏭🏭"),
        ("q=!!", "!!"),
    ],
)
def test_q_is_echoed_as_decoded(client: TestClient, written: str, decoded: str) -> None:
    response = client.get(f"{SEARCH}?{written}")
    assert response.status_code == 200
    assert response.json()["q"] == decoded


BAD = [
    ("", "query-missing", "q"),
    ("country=EC", "query-missing", "q"),
    ("q=", "query-too-short", "q"),
    ("q=a", "query-too-short", "q"),
    ("q=%20%20a%C2%A0", "query-too-short", "q"),
    ("q=" + "x" * 257, "query-too-long", "q"),
    ("q=ab&country=ZZ", "unknown-country", "country"),
    ("q=ab&country=", "unknown-country", "country"),
    ("q=ab&country=u%C5%BF", "unknown-country", "country"),
    ("q=ab&limit=0", "limit-out-of-range", "limit"),
    ("q=ab&limit=21", "limit-out-of-range", "limit"),
    ("q=ab&limit=abc", "limit-out-of-range", "limit"),
    ("q=ab&limit=", "limit-out-of-range", "limit"),
    ("q=ab&limit=-1", "limit-out-of-range", "limit"),
    ("q=ab&limit=1.5", "limit-out-of-range", "limit"),
    ("q=ab&limit=08", "limit-out-of-range", "limit"),
    ("q=ab&limit=%EF%BC%95", "limit-out-of-range", "limit"),
    ("q=ab&page=2", "unknown-parameter", "page"),
    ("q=ab&Q=ab", "unknown-parameter", "Q"),
    ("q=ab&apiKey=x", "unknown-parameter", "apiKey"),
    ("q=ab&q=cd", "repeated-parameter", "q"),
    ("q=ab&limit=8&limit=8", "repeated-parameter", "limit"),
    ("q=ab&country=EC&country=BR", "repeated-parameter", "country"),
    ("q=a%00b", "control-characters", "q"),
    ("q=ab%0A", "control-characters", "q"),
    ("q=ab%C2%85", "control-characters", "q"),
    ("q=ab&country=EC%0D", "control-characters", "country"),
    ("q=ab%FF", "not-utf8", "q"),
    ("q=ab&country=%C3", "not-utf8", "country"),
    ("q=ab&limit=%80", "not-utf8", "limit"),
    ("q=%ED%A0%80ab", "not-utf8", "q"),
]
"""Query, code, parameter."""


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize(("query", "code", "parameter"), BAD)
def test_bad_searches_are_refused(client: TestClient, query: str, code: str, parameter: str, language: str) -> None:
    response = client.get(f"{SEARCH}?{query}", headers={"accept-language": language})
    refused(response, 400, code, parameter, language)


@pytest.mark.parametrize(
    ("path", "code", "parameters"),
    [
        ("search?q=a&limit=0&country=ZZ", "query-too-short", ["q", "limit", "country"]),
        ("search?limit=99&page=2&page=3&country=%FF", "unknown-parameter", ["page", "country", "q", "limit"]),
        ("search?q=%FF&limit=0", "not-utf8", ["q", "limit"]),
        ("ZZ/" + "1" * 65 + "?x=1", "unknown-parameter", ["x", "country", "identifier"]),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_all_that_is_wrong_is_told_at_once(
    client: TestClient, path: str, code: str, parameters: list[str], language: str
) -> None:
    problem = client.get(f"/api/public/empresas/{path}", headers={"accept-language": language}).json()
    assert problem["code"] == code
    assert [error["parameter"] for error in problem["errors"]] == parameters
    assert problem["errors"][0]["detail"] == problem["detail"]
    assert len({error["detail"] for error in problem["errors"]}) == len(parameters)


BAD_PATHS = [
    ("ZZ/1", 400, "unknown-country", "country"),
    ("E%2FC/1", 400, "unknown-country", "country"),
    ("search/", 404, "no-such-address", None),
    ("stats/", 404, "no-such-address", None),
    ("E%FF/1", 400, "not-utf8", "country"),
    ("E%0A/1", 400, "control-characters", "country"),
    ("EC/17%FF", 400, "not-utf8", "identifier"),
    ("EC/17%0A", 400, "control-characters", "identifier"),
    ("EC/1790016919001%0A", 400, "control-characters", "identifier"),
    ("EC/" + "1" * 65, 400, "identifier-too-long", "identifier"),
    ("EC/", 404, "no-such-address", None),
    ("EC/abc", 400, "invalid-identifier", "identifier"),
    ("EC/1790016919001?x=1", 400, "unknown-parameter", "x"),
    ("EC/1790016919002", 404, "company-not-found", None),
    ("EC/9999999999999", 404, "company-not-found", None),  # these look like numbers and are never given out
    ("MX/XXX000000XXX", 404, "company-not-found", None),
    ("US/0000000000", 404, "company-not-found", None),
    ("BR/00.000.000%2F0000-00", 404, "company-not-found", None),
    ("CO/000000000", 404, "company-not-found", None),
    ("AR/99-99999999-9", 404, "company-not-found", None),
    (f"EC/{PERSON}", 404, "natural-person-not-covered", None),
    ("EC", 404, "no-such-address", None),
    ("stats?x", 400, "unknown-parameter", "x"),
]


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize(("path", "status", "code", "parameter"), BAD_PATHS)
def test_bad_addresses_are_refused(
    client: TestClient, path: str, status: int, code: str, parameter: str | None, language: str
) -> None:
    response = client.get(f"/api/public/empresas/{path}", headers={"accept-language": language})
    refused(response, status, code, parameter, language)
    assert PERSON not in response.text


def refused(response: Any, status: int, code: str, parameter: str | None, language: str) -> None:
    """The answer is this problem, whole, in this language, and nobody keeps it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["content-language"] == language
    assert response.headers["cache-control"] == "no-store"
    assert "etag" not in response.headers
    problem = response.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert problem["type"] == f"urn:padron:problem:{code}"
    assert problem["title"] == messages.title(code, language)
    assert problem["detail"]
    assert problem["requestId"] == response.headers["x-request-id"]
    assert problem["instance"] == f"urn:uuid:{problem['requestId']}"
    expected = None if parameter is None else [{"detail": problem["detail"], "parameter": parameter}]
    assert problem.get("errors") == expected
    members = {"type", "title", "status", "detail", "instance", "code", "requestId"}
    assert set(problem) == members | ({"errors"} if parameter else set())


def test_a_refusal_says_how_to_mend_it(client: TestClient) -> None:
    def detail(query: str, language: str) -> str:
        return client.get(f"{SEARCH}?{query}", headers={"accept-language": language}).json()["detail"]

    assert detail("q=ab&limit=21", "es") == "limit debe ser un número entero de 1 a 20."
    assert detail("q=ab&limit=21", "en") == "limit must be a whole number from 1 to 20."
    assert detail("q=ab&country=ZZ", "es") == f"El país debe ser uno de: {', '.join(COUNTRIES)}."
    assert detail("q=ab&pais=EC", "es") == "El parámetro «pais» no existe. Los parámetros son: q, country, limit."


def test_a_person_is_told_the_same_in_a_search(client: TestClient) -> None:
    response = client.get(SEARCH, params={"q": PERSON})
    refused(response, 404, "natural-person-not-covered", None, "es")
    assert PERSON not in response.text


def test_a_company_answers_exactly_the_members_of_the_specification(client: TestClient) -> None:
    response = client.get(COMPANY)
    assert response.status_code == 200
    assert set(response.json()) == {"entity"}
    entity = response.json()["entity"]
    assert set(entity) == TEASER | {"source", "refreshedAt"}
    assert entity["confidence"] is None
    assert entity["source"] == {"sourceName": "Registro", "sourceUrl": None}
    assert entity["refreshedAt"] == "2026-03-01T00:00:00Z"
    assert msgspec.json.decode(response.content, type=Entity).entity.legal_name == "CORPORACION FAVORITA C.A."


@pytest.mark.parametrize(
    ("path", "canonical", "match"),
    [
        ("EC/1790016919001", None, "primary"),
        ("ec/1790016919001", "EC/1790016919001", "primary"),
        ("EC/384", "EC/1790016919001", "alias"),
        ("BR/33.000.167/0001-01", "BR/33000167000101", "primary"),
        ("BR/33.000.167%2F0001-01", "BR/33000167000101", "primary"),
        ("br/33000167", "BR/33000167000101", "branch"),
        ("MX/c%C3%B1%26850101ab1", "MX/C%C3%91%26850101AB1", "primary"),
        ("MX/C%C3%91%26850101AB1", None, "primary"),
    ],
)
def test_every_form_of_an_identifier_leads_to_the_canonical_address(
    client: TestClient, path: str, canonical: str | None, match: str
) -> None:
    response = client.get(f"/api/public/empresas/{path}")
    assert response.status_code == 200
    assert response.headers.get("content-location") == (canonical and f"/api/public/empresas/{canonical}")
    assert response.headers["identifier-match"] == match
    if canonical:
        there = client.get(response.headers["content-location"])
        assert there.content == response.content
        assert "content-location" not in there.headers


def test_coverage_counts_every_country(client: TestClient) -> None:
    response = client.get(STATS)
    coverage = msgspec.json.decode(response.content, type=Coverage, strict=True)
    assert [country.country_code for country in coverage.countries] == [row[0] for row in ROWS]
    assert set(response.json()) == {"countries", "total", "release", "generatedAt"}
    source = response.json()["countries"][0]["sources"][0]
    assert set(source) == {"name", "url", "licence", "attribution", "date", "records", "state"}


def test_words_follow_the_reader(client: TestClient) -> None:
    for language, label in (("es", "Número"), ("en", "Number")):
        response = client.get(SEARCH, params={"q": "apple"}, headers={"accept-language": language})
        assert response.headers["content-language"] == language
        assert response.headers["vary"] == "Accept-Language, Accept-Encoding"
        assert response.json()["matchHints"] == [HINT.of(language)]
        assert response.json()["results"][0]["idLabel"] == label
    assert client.get(COMPANY).headers["content-language"] == "es"


@pytest.mark.parametrize("path", [f"{SEARCH}?q=apple", COMPANY, STATS, OPENAPI])
def test_head_is_get_without_a_body(client: TestClient, path: str) -> None:
    plain = {"accept-encoding": "identity"}
    head, get = client.head(path, headers=plain), client.get(path, headers=plain)
    assert (head.status_code, head.content) == (200, b"")
    volatile = {"x-request-id"}
    assert {name: value for name, value in head.headers.items() if name not in volatile} == {
        name: value for name, value in get.headers.items() if name not in volatile
    }
    assert int(head.headers["content-length"]) == len(get.content)


UNDO = {"gzip": gzip.decompress, "br": cramjam.brotli.decompress, "zstd": cramjam.zstd.decompress}


@pytest.mark.parametrize("coding", UNDO)
def test_an_answer_is_compressed_as_its_reader_prefers(client: TestClient, coding: str) -> None:
    asked = f"{SEARCH}?q=apple&limit=20"
    plain = client.get(asked, headers={"accept-encoding": "identity"})
    for _ in range(2):
        with client.stream("GET", asked, headers={"accept-encoding": coding}) as small:
            sent = b"".join(small.iter_raw())
        assert ("content-encoding" in plain.headers, small.headers["content-encoding"]) == (False, coding)
        assert len(sent) == int(small.headers["content-length"]) < len(plain.content)
        assert bytes(UNDO[coding](sent)) == plain.content
        assert small.headers["etag"] == plain.headers["etag"]
        held = client.get(asked, headers={"accept-encoding": coding, "if-none-match": small.headers["etag"]})
        assert (held.status_code, "content-encoding" in held.headers) == (304, False)
    assert "content-encoding" not in client.get(f"{SEARCH}?q=zz", headers={"accept-encoding": coding}).headers


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_the_description_is_compressed_as_its_reader_prefers(client: TestClient, coding: str) -> None:
    plain = client.get(OPENAPI, headers={"accept-encoding": "identity"})
    small = client.get(OPENAPI, headers={"accept-encoding": coding})
    assert ("content-encoding" in plain.headers, small.headers["content-encoding"]) == (False, coding)
    assert small.headers["vary"] == "Accept-Language, Accept-Encoding"
    assert int(small.headers["content-length"]) < len(plain.content) / 4
    held = client.get(OPENAPI, headers={"accept-encoding": coding, "if-none-match": small.headers["etag"]})
    assert (held.status_code, "content-encoding" in held.headers) == (304, False)


@pytest.mark.parametrize("path", [f"{SEARCH}?q=apple", COMPANY, STATS, OPENAPI])
def test_an_answer_already_held_is_not_sent_again(client: TestClient, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "public, max-age=60"
    for held in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = client.get(path, headers={"if-none-match": held})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control", "vary", "content-language"):
            assert again.headers[name] == first.headers[name]
        assert "content-type" not in again.headers
        assert "content-length" not in again.headers
    assert client.head(path, headers={"if-none-match": tag}).status_code == 304
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200


def test_a_held_answer_needs_no_search(client: TestClient, memory_directory: MemoryDirectory) -> None:
    tag = client.get(SEARCH, params={"q": "apple"}).headers["etag"]
    memory_directory.asked.clear()
    assert client.get(SEARCH, params={"q": "apple"}, headers={"if-none-match": tag}).status_code == 304
    assert memory_directory.asked == []


def test_a_tag_names_release_language_and_request(client: TestClient, memory_directory: MemoryDirectory) -> None:
    tag = client.get(SEARCH, params={"q": "apple"}).headers["etag"]
    assert tag.startswith('W/"20260301-aaaaaaaa.es.')
    held = {"if-none-match": tag}
    assert client.get(SEARCH, params={"q": "apple"}, headers=held | {"accept-language": "en"}).status_code == 200
    assert client.get(SEARCH, params={"q": "ecopetrol"}, headers=held).status_code == 200
    memory_directory.next_release = "20260401-bbbbbbbb"
    with service(asyncio.run(memory_directory.refreshed())) as newer:
        assert newer.get(SEARCH, params={"q": "apple"}, headers=held).status_code == 200


@pytest.mark.parametrize("held", ["*", 'W/"20260301-aaaaaaaa.es.0000000000000000"'])
@pytest.mark.parametrize(("path", "status"), [(f"{SEARCH}?q=a", 400), ("/api/public/empresas/EC/9", 404)])
def test_a_refusal_is_never_304(client: TestClient, path: str, status: int, held: str) -> None:
    assert client.get(path, headers={"if-none-match": held}).status_code == status


def test_keys_are_ignored(client: TestClient) -> None:
    plain = client.get(COMPANY)
    for key in ("pdr_live_x", "nonsense"):
        keyed = client.get(COMPANY, headers={"authorization": f"Bearer {key}", "apikey": key})
        assert (keyed.status_code, keyed.content) == (200, plain.content)


@pytest.mark.parametrize("path", [SEARCH, COMPANY, STATS, OPENAPI])
@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_other_methods_are_refused(client: TestClient, path: str, method: str, language: str) -> None:
    response = client.request(method, path, headers={"accept-language": language})
    refused(response, 405, "method-not-allowed", None, language)
    assert response.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", [SEARCH, COMPANY, STATS, OPENAPI])
def test_a_preflight_is_answered(client: TestClient, path: str) -> None:
    asked = {
        "origin": "https://shop.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "apikey,authorization",
    }
    response = client.options(path, headers=asked)
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert response.headers["access-control-allow-headers"] == (
        "Authorization, apiKey, Content-Type, Idempotency-Key, If-None-Match, User-Agent"
    )
    assert response.headers["access-control-max-age"] == "600"
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("path", [f"{SEARCH}?q=apple", f"{SEARCH}?q=a", "/api/public/empresas/EC/9", "/api/nothing"])
def test_any_page_may_read_answers_and_errors(client: TestClient, path: str) -> None:
    response = client.get(path, headers={"origin": "https://shop.example"})
    assert response.headers["access-control-allow-origin"] == "*"
    exposed = set(response.headers["access-control-expose-headers"].split(", "))
    assert exposed >= {"RateLimit", "RateLimit-Policy", "Retry-After", "ETag", "X-Request-Id"}


def test_nothing_ready_is_503_that_nobody_keeps(memory_directory: MemoryDirectory, tmp_path: Any) -> None:
    with service(None, PADRON_DATA=str(tmp_path)) as client:
        for path in (f"{SEARCH}?q=apple", COMPANY, STATS, "/readyz"):
            for language in ("es", "en"):
                response = client.get(path, headers={"accept-language": language})
                refused(response, 503, "not-ready", None, language)
                assert response.headers["retry-after"] == "5"
        assert client.get("/healthz").status_code == 200
        assert client.get(OPENAPI).status_code == 200


def test_openapi_names_the_service_address(memory_directory: MemoryDirectory) -> None:
    with service(memory_directory, PADRON_BASE_URL="https://padron.example/x/") as client:
        described = json.loads(client.get(OPENAPI, headers={"host": "evil.example"}).content)
    assert described["servers"] == [{"url": "https://padron.example/x"}]
