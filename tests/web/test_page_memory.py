"""Pages from memory: the same bytes and header fields, of the release that is served, rendered once for each coding."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import Mock, patch

import pytest
from starlette.testclient import TestClient

from memory_directory import service
from padron.directory import Directory
from padron.web.site import Site

PAGES = ["/es", "/en/search?q=favorita", "/en/companies/ec/1790016919001", "/llms.txt", "/es/opensearch.xml"]


@pytest.fixture
def fresh(directory: Directory) -> Iterator[TestClient]:
    """A service over the bundled release with no page in memory yet."""
    with service(directory) as client:
        yield client


@pytest.fixture
def render() -> Iterator[Mock]:
    """Counts the templates rendered."""
    with patch.object(Site, "render", autospec=True, side_effect=Site.render) as counted:
        yield counted


@pytest.mark.parametrize("path", PAGES)
def test_a_page_from_memory_is_the_same(path: str, fresh: TestClient) -> None:
    for coding in ("identity", "gzip", "br", "zstd"):
        first, second = [fresh.get(path, headers={"accept-encoding": coding}) for _ in range(2)]
        assert first.status_code == second.status_code == 200
        assert first.content == second.content
        assert first.headers.get("content-encoding", "identity") == coding
        fields = [dict(answer.headers) for answer in (first, second)]
        assert fields[0].pop("x-request-id") != fields[1].pop("x-request-id")
        assert fields[0] == fields[1]


def test_a_page_asked_again_is_not_rendered_again(fresh: TestClient, render: Mock) -> None:
    for _ in range(3):
        tag = fresh.get("/es/buscar?q=favorita").headers["etag"]
    assert render.call_count == 1
    assert fresh.get("/es/buscar?q=favorita", headers={"if-none-match": tag}).status_code == 304
    for other, coding in (("/es/buscar?q=Favorita", "gzip"), ("/es/buscar?q=favorita", "identity")):
        assert fresh.get(other, headers={"accept-encoding": coding}).status_code == 200
    assert render.call_count == 3


def test_an_error_page_is_rendered_once_and_names_each_request(fresh: TestClient, render: Mock) -> None:
    numbers = ("primero", "segundo")
    pages = [fresh.get("/es/nada", headers={"x-request-id": number}) for number in numbers]
    assert render.call_count == 1
    for page, number in zip(pages, numbers, strict=True):
        assert page.status_code == 404
        assert number in page.text
        assert page.headers["cache-control"] == "no-store"
    assert pages[0].text.replace("primero", "") == pages[1].text.replace("segundo", "")
