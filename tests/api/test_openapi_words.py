"""The descriptions in both languages: every sentence in both, all else the same, each held under its own ETag."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from account_service import account_service
from memory_directory import MemoryDirectory, service
from padron.api.openapi_words import sentences, translated
from padron.companies import fields as company_fields
from padron.words import translate

PATHS = ("/api/public/openapi.json", "/api/v1/openapi.json", "/api/account/openapi.json")
EXAMPLES = {"example", "value"}
SENTENCES = {"summary", "description"}
ENGLISH = re.compile(r"\b(the|of|is|are|which|and|with|for|where|what|not|its?)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with account_service(tmp_path_factory.mktemp("words")) as client:
        yield client


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest) -> str:
    return request.param


def described(client: TestClient, path: str, language: str) -> dict[str, Any]:
    return client.get(path, headers={"accept-language": language}).json()


def leaves(node: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that holds no other, with the way to it; empty objects and lists among them."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    if not items or not node:
        yield place, node
    for key, value in items:
        yield from leaves(value, (*place, str(key)))


def is_sentence(place: tuple[str, ...]) -> bool:
    """Return whether a leaf is for people alone: a summary or description, not inside an example."""
    inside = {key for key, over in zip(place, ("", *place), strict=False) if over != "properties"} & EXAMPLES
    return place[-1] in SENTENCES and place[-2:-1] != ("properties",) and not inside


def faults(spanish: dict[str, Any], english: dict[str, Any]) -> list[str]:
    """Return the differences between two languages, and sentences that do not differ."""
    es, en = dict(leaves(spanish)), dict(leaves(english))
    differences = [f"only in one: {'/'.join(place)}" for place in es.keys() ^ en.keys()]
    for place in es.keys() & en.keys():
        name, same = "/".join(place), es[place] == en[place]
        if is_sentence(place):
            if same:
                differences.append(f"the same in both: {name}")
            elif english_left := ENGLISH.findall(re.sub("`[^`]*`", "", es[place])):
                differences.append(f"English {english_left} in Spanish: {name}")
        elif "example" in place or "value" in place:
            translated_example = "problem+json" in name and place[-1] in {"title", "detail"}
            if type(es[place]) is not type(en[place]) or (translated_example and same):
                differences.append(f"an example: {name}")
        elif not same:
            differences.append(f"structure: {name}")
    return sorted(differences)


def test_every_sentence_is_there_in_both_languages_and_all_else_is_the_same(client: TestClient, path: str) -> None:
    assert faults(described(client, path, "es"), described(client, path, "en")) == []


def unexplained(document: dict[str, Any]) -> list[str]:
    """Parts of a document that linters of OpenAPI want described."""
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    parts = [(operation["operationId"], operation) for operation in operations]
    parts += [(tag["name"], tag) for tag in document["tags"]]
    missing = [name for name, part in parts if not part.get("description")]
    return missing + [key for key in ("contact", "license", "description") if not document["info"].get(key)]


def test_operations_tags_and_the_interface_are_described(client: TestClient, path: str) -> None:
    document = described(client, path, "en")
    assert unexplained(document) == []
    del document["info"]["contact"], document["tags"][0]["description"]
    first = next(iter(document["paths"].values()))
    operation = next(iter(first.values()))
    del operation["description"]
    assert unexplained(document) == [operation["operationId"], document["tags"][0]["name"], "contact"]


def test_every_planted_fault_is_found(client: TestClient) -> None:
    english = described(client, PATHS[0], "en")
    spanish = described(client, PATHS[0], "es")
    search = "paths//api/public/empresas/search/get"

    def planted(change: Any) -> list[str]:
        altered = copy.deepcopy(spanish)
        change(altered["paths"]["/api/public/empresas/search"]["get"], altered["components"]["schemas"])
        return faults(altered, english)

    def left(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
        operation["summary"] = english["paths"]["/api/public/empresas/search"]["get"]["summary"]

    def half(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
        schemas["Problem"]["properties"]["title"]["description"] = "La clase of the problema, según `the RFC`."

    def lost(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
        del operation["parameters"][1]["description"]

    def narrowed(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
        operation["parameters"][2]["schema"]["maximum"] = 10

    def unspoken(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
        problem = operation["responses"]["429"]["content"]["application/problem+json"]["examples"]["rate-limited"]
        problem["value"]["title"] = "Too many requests"

    assert planted(left) == [f"the same in both: {search}/summary"]
    assert planted(half) == [
        "English ['of', 'the'] in Spanish: components/schemas/Problem/properties/title/description"
    ]
    assert planted(lost) == [f"only in one: {search}/parameters/1/description"]
    assert planted(narrowed) == [f"structure: {search}/parameters/2/schema/maximum"]
    assert planted(unspoken) == [
        f"an example: {search}/responses/429/content/application/problem+json/examples/rate-limited/value/title"
    ]


def test_the_sentences_to_translate_are_those_of_the_documents(client: TestClient) -> None:
    documents = [described(client, path, "en") for path in PATHS]
    parts = ("paths", "webhooks", "components")
    extracted = {sentence for document in documents for part in parts for sentence in sentences(document.get(part))}
    english = {
        sentence
        for document in documents
        for place, sentence in leaves(document)
        if is_sentence(place) and place[0] not in {"info", "tags"}  # texts of both languages in the code
    }
    fields = company_fields.SPANISH
    assert (extracted, fields.keys() - english) == (english - fields.keys(), set())
    spanish = {sentence: translate(sentence, "es") for sentence in extracted} | dict(fields)
    assert all(text == text.strip() != "" for text in spanish.values())
    assert all(sentence.endswith(".") == text.endswith(".") for sentence, text in spanish.items())
    assert all(sentence.count("`") == text.count("`") or "`" in text for sentence, text in spanish.items())


def undescribed(document: dict[str, Any]) -> list[str]:
    """Schemas, and members of schemas, that nothing is said of; of a member that has a schema, that says it."""

    def is_described(schema: dict[str, Any]) -> bool:
        inner = [*schema.get("anyOf", ()), schema.get("items") or {}]
        return "description" in schema or "$ref" in schema or any(is_described(member) for member in inner if member)

    schemas = document["components"]["schemas"]
    members = {
        f"{name}.{key}": member for name, schema in schemas.items() for key, member in schema["properties"].items()
    }
    return [name for name, schema in (schemas | members).items() if not is_described(schema)]


def test_every_member_of_every_schema_is_described(client: TestClient, path: str) -> None:
    document = described(client, path, "es")
    assert undescribed(document) == []
    del document["components"]["schemas"]["Problem"]["properties"]["code"]["description"]
    assert undescribed(document) == ["Problem.code"]


def test_summaries_and_descriptions_are_translated_and_examples_are_not() -> None:
    done = {"paths": [{"properties": {"value": {"description": "Done"}}}]}
    assert list(sentences(done)) == ["Done"]
    assert translated(done, "en") == done
    assert translated(done, "es") == {"paths": [{"properties": {"value": {"description": "Hecho"}}}]}
    example = {"example": {"description": "Done"}, "examples": {"one": {"value": {"summary": "Done"}}}}
    assert (list(sentences(example)), translated(example, "es")) == ([], example)


def test_a_sentence_without_spanish_stays_english() -> None:
    unknown = {"summary": "A sentence of no document."}
    assert translated(unknown, "es") == unknown


@pytest.mark.parametrize(
    ("asked", "language"),
    [(None, "es"), ("*", "es"), ("pt-BR", "es"), ("fr", "es"), ("es-EC", "es"), ("en-US,en;q=0.9", "en")],
)
def test_the_reader_chooses(client: TestClient, path: str, asked: str | None, language: str) -> None:
    headers = {"accept-language": asked} if asked else {"accept-language": ""}
    response = client.get(path, headers=headers)
    assert response.status_code == 200
    assert response.headers["content-language"] == language
    assert response.headers["vary"] == "Accept-Language, Accept-Encoding"
    assert response.headers["content-type"] == "application/json"
    description = response.json()["info"]["description"]
    assert ("Empresas" in description or "Cuentas" in description) is (language == "es")


def test_each_language_is_held_under_its_own_etag(client: TestClient, path: str) -> None:
    tags = {of: client.get(path, headers={"accept-language": of}).headers["etag"] for of in ("es", "en")}
    assert tags["es"] != tags["en"]
    for language, other in (("es", "en"), ("en", "es")):
        held = client.get(path, headers={"accept-language": language, "if-none-match": tags[language]})
        assert (held.status_code, held.content) == (304, b"")
        assert held.headers["content-language"] == language
        assert held.headers["etag"] == tags[language]
        plain = {"accept-language": language, "accept-encoding": "identity"}
        changed = client.get(path, headers={**plain, "if-none-match": tags[other]})
        assert changed.status_code == 200
        head = client.head(path, headers=plain)
        assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tags[language])
        assert head.headers["content-length"] == str(len(changed.content))


def test_what_is_wrong_is_told_in_the_language_of_the_description(client: TestClient) -> None:
    responses = {
        of: described(client, PATHS[0], of)["paths"]["/api/public/empresas/search"]["get"]["responses"]["400"]
        for of in ("es", "en")
    }
    examples = {of: response["content"]["application/problem+json"]["examples"] for of, response in responses.items()}
    assert {of: response["query-too-short"]["value"]["title"] for of, response in examples.items()} == {
        "es": "Búsqueda demasiado corta",
        "en": "Query too short",
    }
    assert responses["es"]["description"] == "La solicitud no es válida; `errors` nombra cada parámetro o miembro"


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_page_lists_the_operations_in_its_own_language(memory_directory: MemoryDirectory, language: str) -> None:
    english = "The coverage: companies by country, with their sources and dates"
    with service(memory_directory) as client:
        page = client.get(f"/{language}/api", headers={"accept-language": "fr"}).text
    assert (english in page, translate(english, "es") in page) == (language == "en", language == "es")
