"""The legal form of a company, of all the words that its name ends in."""

from __future__ import annotations

import pytest

from padron.countries import REGISTRY
from padron.text import split_form


@pytest.mark.parametrize(
    ("country", "name", "form"),
    [
        ("BR", "OI S.A. - EM RECUPERAÇÃO JUDICIAL", "sa"),
        ("BR", "BANCO MAPPIN EM LIQUIDAÇÃO EXTRAJUDICIAL", None),
        ("BR", "MASSA DE TECIDOS FALIDA", None),
        ("CO", "ALGODONES SAS EN LIQUIDACION", "sas"),
        ("CO", "FUNDACION TAL EN REORGANIZACION", None),
        ("EC", "PLASTICOS DEL SUR EN LIQUIDACION", None),
        ("AR", "MOLINOS TAL EN QUIEBRA", None),
        # of several forms, the one that the country of the register grants
        ("EC", "VISIONARIOS & ASOCIADOS V&APS CIA.LTDA.", "ltda"),
        ("EC", "LOUISPETREQUIN LP CIA.LTDA.", "ltda"),
        ("EC", "BSH ELECTRODOMESTICOS SAC S.A.", "sa"),
        ("MX", "TRANSILMEX INC SA DE CV", "sa-de-cv"),
        ("CO", "VIGIAS DE COLOMBIA SRL LTDA", "ltda"),
        ("CO", "HP FINANCIAL SERVICES COLOMBIA LLC SUCURSAL COLOMBIA", "sucursal"),
        ("US", "Edible Garden AG Inc", "inc"),
        ("US", "Grab Holdings Pte. Ltd.", "pte-ltd"),
        ("US", "Mesoblast Pty Ltd", "pty-ltd"),
        # where there is none of the country, the first
        ("EC", "WUHAN INSTITUTE CO., LTD.", "ltd"),
        ("US", "Tal Holdings", None),
    ],
)
def test_the_legal_form_of_a_name(country: str, name: str, form: str | None) -> None:
    law = REGISTRY[country]
    entry = law.legal_form_of(split_form(name, law.forms, acronyms=law.acronym_after_form).forms, None)
    assert (entry.code if entry else None) == form


@pytest.mark.parametrize(
    ("name", "official", "form"),
    [
        ("SOCIEDAD ARGENTINA DE SIDA S A S", "ASOCIACION CIVIL", "ac"),
        ("TALLERES VERSAILLES SOCIEDAD DE RESOPONSABILIDAD LIMITADA", "SOCIEDAD DE RESPONSABILIDAD LIMITADA", "srl"),
        ("CENTRO DE JUBILADOS", "ASOCIACION CIVIL", "ac"),
        ("PANADERIA SRL", "INSTITUTO DE VIDA CONSAGRADA", "srl"),
    ],
)
def test_the_legal_form_that_the_register_states_goes_before_that_of_the_name(
    name: str, official: str, form: str
) -> None:
    law = REGISTRY["AR"]
    entry = law.legal_form_of(split_form(name, law.forms, acronyms=law.acronym_after_form).forms, official)
    assert entry is not None
    assert entry.code == form


@pytest.mark.parametrize("country", sorted(REGISTRY))
def test_no_two_legal_forms_are_called_alike(country: str) -> None:
    for language in ("es", "en"):
        labels = [form.label.of(language) for form in REGISTRY[country].legal_forms]
        assert len(labels) == len(set(labels))
