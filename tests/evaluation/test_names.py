from __future__ import annotations

import pytest
from evaluation.names import bag, compact, initials, plain, read, split

CASES = [
    ("Industrias Álvarez & Hijos, S. A. S. EN LIQUIDACION", "CO", "industrias alvarez & hijos", "sas", ""),
    ("NEGOCIOS INDUSTRIALES REAL N.I.R.S.A. S.A.", "EC", "negocios industriales real nirsa", "sa", ""),
    (
        "CONSORCIO ECUATORIANO DE TELECOMUNICACIONES S.A. CONECEL",
        "EC",
        "consorcio ecuatoriano de telecomunicaciones",
        "sa",
        "conecel",
    ),
    ("GERARDO ORTIZ E HIJOS C LTDA", "EC", "gerardo ortiz e hijos", "ltda", ""),
    ("HOTEIS OTHON S.A. - EM RECUPERAÇÃO JUDICIAL", "BR", "hoteis othon", "sa", ""),
    ("HORACE MANN EDUCATORS CORP /DE/", "US", "horace mann educators", "corp", ""),
    ("BARCLAYS BANK PLC", "US", "barclays bank", "plc", ""),
    ("BBVA BANCOMER, S.A., INSTITUCION DE BANCA MULTIPLE, GRUPO FINANCIERO BBVA", "MX", "bbva bancomer", "sa", ""),
    ("MATERIALES GERO  S.A. DE C.V.", "MX", "materiales gero", "sa-cv", ""),
    ("INTERCONEXION ELECTRICA S.A. E.S.P.", "CO", "interconexion electrica", "sa", ""),
    ("A Y M D´ESPOSITO SRL", "AR", "a y m desposito", "srl", ""),
    ("S.A.", "EC", "sa", None, ""),
    ("FAMAGRO SAICAI", "AR", "famagro", "saic", ""),
    ("Lappas Sociedad Anónima Comercial Industrial e Inversora", "AR", "lappas", "saic", ""),
    ("SAGA SRL", "AR", "saga", "srl", ""),
    ("CRESAL EXP SA IND E COMERCIO", "BR", "cresal exp", "sa", "ind e comercio"),
    ("PETRÓLEO BRASILEIRO S.A. PETROBRAS", "BR", "petroleo brasileiro", "sa", "petrobras"),
]


@pytest.mark.parametrize(("name", "country", "core", "form", "tail"), CASES)
def test_a_name_is_taken_apart(name, country, core, form, tail):
    reading = read(name, country)
    assert (" ".join(reading.words), reading.form) == (core, form)
    assert " ".join(word.text for word in reading.tail) == tail


def test_parts_are_given_as_written():
    reading = read("Compañía Azucarera Tres Ingenios, Cía. Ltda.", "EC")
    assert reading.raw == ["Compañía", "Azucarera", "Tres", "Ingenios"]
    assert reading.written == "Cía. Ltda."


def test_letters_apart_are_one_word_but_dotted_and_spaced_ones_are_two():
    assert [word.text for word in split("M. B. G. de N.I.R.S.A. S.A. & L'Oréal")] == [
        "mbg", "de", "nirsa", "sa", "&", "loreal",
    ]  # fmt: skip


def test_keys():
    assert bag(("alvarez", "y", "industrias")) == bag(("ind", "alvarez")) != bag(("ind", "alvares"))
    assert compact(("coca", "cola")) == compact(("cocacola",))
    assert initials(("telecom", "de", "los", "andes")) == ""
    assert initials(("red", "telecom", "de", "los", "andes")) == "rta"
    assert plain("Ñandú") == "Nandu"
