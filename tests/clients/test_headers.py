"""The Python client knows the headers of lists by which the service recognises columns."""

from __future__ import annotations

import csv

import pytest
from tools import generate_headers

from padron.countries import REGISTRY
from padron.lists.columns import recognise
from padron_client.lists import columns_of

HEADERS = [
    "Razón Social,RUC,País",
    "Nombre del proveedor,Identificación fiscal,Ciudad,Provincia",
    "company_name,tax_id,country_code,legal_form",
    "Empresa,N.I.T.,Municipio,Actividad económica",
    "Nome empresarial,CNPJ,UF,Atividade",
    "Supplier name,EIN,State,Former name",
]


def test_the_headers_are_those_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    written = generate_headers.TARGET.read_text("utf-8")
    assert generate_headers.module() == written, "run `make generate`"
    monkeypatch.setattr(generate_headers, "known_headers", lambda _: {"a": "name"})
    assert generate_headers.module() != written


@pytest.mark.parametrize("line", HEADERS)
def test_columns_are_those_that_the_service_recognises(line: str) -> None:
    (header,) = csv.reader([line])
    assert columns_of(header, {}) == dict(recognise([header], {}, REGISTRY).at)
