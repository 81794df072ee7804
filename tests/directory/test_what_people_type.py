"""Names as people type them, brands and symbols among them: who is asserted, and who must not be."""

from __future__ import annotations

import pytest

from padron.directory import Directory, run
from padron.questions.results import Question

MEANT = [
    ("unam", "MX", "UNIVERSIDAD NACIONAL AUTONOMA DE MEXICO"),
    ("ahmsa", "MX", "ALTOS HORNOS DE MEXICO SAB DE CV"),
    ("disensa", "EC", "CONSTRUMERCADO S.A."),
    # another form than the register's, of a name that only one company has
    ("MEGADATOS CIA LTDA", "EC", "MEGADATOS S.A."),
    # the country in the name of a company among the largest
    ("estafeta", "MX", "ESTAFETA MEXICANA SA DE CV"),
    # an acronym beside the name
    ("unitec universidad tecnologica mexico", "MX", "UNIVERSIDAD TECNOLOGICA DE MEXICO SC"),
    ("universidad tecnologica nacional utn", "AR", "Universidad Tecnológica Nacional"),
    ("fabrica argentina de aviones fadea", "AR", "FÁBRICA ARGENTINA DE AVIONES BRIG. SAN MARTÍN S.A.."),
    ("gm colmotores", "CO", "GENERAL MOTORS COLMOTORES S.A."),
    ("pronaca", "EC", "PROCESADORA NACIONAL DE ALIMENTOS C.A. PRONACA"),
    ("conecel", "EC", "CONSORCIO ECUATORIANO DE TELECOMUNICACIONES S.A. CONECEL"),
    ("la fabril", "EC", "LA FABRIL S.A."),
    ("ubesa", "EC", "UNION DE BANANEROS ECUATORIANOS SA UBESA"),
    ("coca cola ecuador", "EC", "COCA-COLA DE ECUADOR S.A."),
    ("apple", "US", "Apple Inc."),
    ("facebook", "US", "Meta Platforms, Inc."),
    ("mcdonald's", "US", "MCDONALDS CORP"),
    ("jp morgan chase", "US", "JPMORGAN CHASE & CO"),
    ("t-mobile", "US", "T-Mobile US, Inc."),
    ("ibm", "US", "INTERNATIONAL BUSINESS MACHINES CORP"),
    ("gm", "US", "General Motors Co"),
    ("amc", "US", "AMC ENTERTAINMENT HOLDINGS, INC."),  # its own name begins with its symbol
    ("amd", "US", "ADVANCED MICRO DEVICES INC"),
    ("isa", "CO", "INTERCONEXIÓN ELÉCTRICA S.A. E.S.P. - ISA"),
    ("almacenes exito", "CO", "ALMACENES EXITO S A"),
    ("une epm", "CO", "UNE EPM TELECOMUNICACIONES S.A."),
    ("koba colombia", "CO", "D1 S A S"),
    ("vale do rio doce", "BR", "VALE S.A."),
    ("pao de acucar", "BR", "COMPANHIA BRASILEIRA DE DISTRIBUIÇÃO"),
    ("raiadrogasil", "BR", "RAIA DROGASIL S.A."),
    ("rede dor", "BR", "REDE D'OR SÃO LUIZ S.A."),
    ("viva aerobus", "MX", "AEROENLACES NACIONALES SA DE CV"),
    ("palacio de hierro", "MX", "EL PALACIO DE HIERRO SA DE CV"),
    ("toyota argentina", "AR", "Toyota Argentina S.A."),
    ("invap", "AR", "INVAP SOCIEDAD DEL ESTADO."),
    # a listed company and its predecessor of the same name
    ("walt disney", "US", "Walt Disney Co"),
    ("the walt disney company", "US", "Walt Disney Co"),
    ("broadcom", "US", "Broadcom Inc."),
    ("merck & co", "US", "Merck & Co., Inc."),
    ("chubb", "US", "Chubb Ltd"),
    # a company and its branches in other registers
    ("hidalgo e hidalgo", "EC", "HIDALGO E HIDALGO S.A."),
    ("hidalgo y hidalgo", "EC", "HIDALGO E HIDALGO S.A."),
    ("avianca ecuador", "EC", "AVIANCA-ECUADOR S.A."),
    ("delta airlines", "US", "DELTA AIR LINES, INC."),
    ("jetblue", "US", "JETBLUE AIRWAYS CORP"),
    ("aerolineas argentinas", "AR", "AEROLÍNEAS ARGENTINAS S.A."),
    ("aerovias of mexico", "MX", "AEROVIAS DE MEXICO SA DE CV"),
    ("braskem", "BR", "BRASKEM S.A."),
    # a company that Mexico's files know twice, by RFC and by CLEE
    ("microsoft mexico", "MX", "MICROSOFT MEXICO S DE RL DE CV"),
    # in a hurry, by ear, in another language
    ("corporasion faborita", "EC", "CORPORACION FAVORITA C.A."),
    ("ekopetrol", "CO", "ECOPETROL S.A"),
    ("bavarria", "CO", "BAVARIA Y CIA SCA"),
    ("magasine luisa", "BR", "MAGAZINE LUIZA SA"),
    ("banco bradezco", "BR", "BANCO BRADESCO S.A."),
    # a symbol behind its exchange
    ("NYSE: F", "US", "FORD MOTOR CO"),
    ("NASDAQ:AAPL", "US", "Apple Inc."),
    ("mircosoft", "US", "MICROSOFT CORP"),
    ("general motors of ecuador", "EC", "GENERAL MOTORS DEL ECUADOR SA"),
    ("acerias paz del rio", "CO", "ACERIAS PAZ DE RIO S A"),
    # by what they are called
    ("the coca-cola company", "US", "COCA COLA CO"),
    ("lowe's", "US", "LOWES COMPANIES INC"),
    ("at&t", "US", "AT&T INC."),
    ("h&r block", "US", "H&R BLOCK INC"),
    ("pepsi cola", "US", "PEPSICO INC"),
    ("tesalia", "EC", "THE TESALIA SPRINGS COMPANY S.A."),
    ("quiport", "EC", "CORPORACION QUIPORT S.A."),
    ("de prati", "EC", "ALMACENES DE PRATI SA"),
    ("santa priscila", "EC", "INDUSTRIAL PESQUERA SANTA PRISCILA S.A."),
    ("grupo el comercio", "EC", "GRUPO EL COMERCIO C.A."),
    ("autobuses ado", "MX", "AUTOBUSES DE ORIENTE ADO SA DE CV"),
    ("mercado libre", "US", "MERCADOLIBRE INC"),
    ("americanas.com", "BR", "AMERICANAS S.A. - EM RECUPERAÇÃO JUDICIAL"),
    ("durafloor", "BR", "DEXCO S.A."),
    ("despegar", "US", "Despegar.com, Corp."),
    ("amazon", "US", "AMAZON COM INC"),
    ("telcel", "MX", "RADIO MOVIL DIPSA SA DE CV"),
    ("nubank", "US", "Nu Holdings Ltd."),
    ("mc donalds", "US", "MCDONALDS CORP"),  # not the owner of a restaurant in Mexico with this trade name
    ("philip morris", "US", "Philip Morris International Inc."),
]
NOT_MEANT = [
    "20 de julio srl",  # 20 de Junio is another
    "gerardo ortiz e hijas",
    "DTEX3",  # until Duratex became Dexco
    "diana ltda",  # another form, of a name that many have
    "ford",  # the symbol of Forward Industries; Ford Motor's is F
    "epm",  # the symbol of Evolution Petroleum; in Colombia that is Empresas Públicas de Medellín
    "rcn",  # a builder of Ecuador calls itself so; RCN Televisión is the larger
    "correios",  # the health fund of the staff of Brazil's post, which itself is in none of the files
    "banco guayaquil",  # no bank of that name is in the files
    "petroecuador",
    "pfizer",  # several companies of exactly this name
    "american airlines",  # three branches; the company itself is in none of the files
    "c&a",  # CA, Inc. is another; C&A Modas is the nearest
    "a&p",
    "n/a",  # the symbol of Nano Labs
    "x corp",  # the symbol of United States Steel; symbols have no legal form
    "asur",  # the symbol of Asure Software; in Mexico those are airports
    "natura",  # not Na Tu Ra S.A.
    "el tiempo",  # A Tiempo S.A. is another
    "tiempo",
    "du pont",  # so is Pont S.A.S.
    "the home depot",  # a company of Ecuador has the very name
    "mckinsey & company",  # in three countries
    "volkswagen",  # the small subsidiary in Ecuador alone is in the files
    "o boticario",
    "universidad san francisco de quito",  # its medical company is, it is not
    "nextel mexico",  # not Nestlé
    "grupo slim",
    "banco internacional",  # not Banco Inter
    "banco do estado",  # one each of Pará, Sergipe and Rio Grande do Sul: Pará is no preposition
    "equatorial distribuidora de energia",  # one each of Pará, Goiás and Maranhão
    "banco pichincha",
    "petroleos mexicanos",
    "transportes",
    "abogados",
    "abogados y asociados",  # Abogadosasociados is one firm of very many; so is Constructoradelnorte
    "constructora del norte",
    "hoteles",
    "unimed belem cooperativa de trabalho medico ii",  # a sister of Unimed de Belém
    "fischer sa com ind agricultura iv",
    "mollon 2 s/a",
    "seguros del ecuador",
    "cruz roja",
    "elon musk",
    "asdfgh",
    # brands that were sold, and a brand and symbols that the undated list gives to somebody else
    "the body shop",
    "ben & jerry's",
    "family dollar",
    "tropicana",
    "van heusen",
    "dickies",
    "GOAU3",
    "GOAU4",
]


@pytest.mark.parametrize(("q", "country", "name"), MEANT)
def test_who_is_meant_is_asserted(directory: Directory, q: str, country: str, name: str) -> None:
    best = run(directory.search(q, country=None, limit=8, language="es")).best_match
    assert best is not None
    assert (best.country_code, best.legal_name) == (country, name)


@pytest.mark.parametrize("q", NOT_MEANT)
def test_who_may_not_be_meant_is_only_offered(directory: Directory, q: str) -> None:
    assert run(directory.search(q, country=None, limit=8, language="es")).best_match is None


@pytest.mark.parametrize("q", ["de", "de la", "de sa", "B3: ZZZZ9", "NYSE: ZZZZZ", "BYMA: TECO2"])
def test_connectives_and_symbols_that_nobody_has_are_nobody(directory: Directory, q: str) -> None:
    assert run(directory.search(q, country=None, limit=8, language="es")).best_match is None


@pytest.mark.parametrize("q", ["94-2404110", "30-50000173-5 ", "12345678901234", "00.000.000/0001-99"])
def test_a_number_alone_is_nobodys_name(directory: Directory, q: str) -> None:
    """`PEDRO 94 SA` has two digits of the EIN of Apple, which is a hint: a bare one may be anything."""
    findings = run(directory.find(q, country=None, limit=8))
    assert {ranked.matched_on for ranked in findings.results} <= {"identifier"}


@pytest.mark.parametrize("q", ["N/A", "n/a", "#N/A", "S/N", "s/d", "#VALUE!", "#REF!", "#¡NUM!", "#NAME?", "NaN"])
def test_a_sign_that_nothing_is_known_is_nobody(directory: Directory, q: str) -> None:
    answer = run(directory.search(q, country=None, limit=8, language="en"))
    assert answer.results == []
    assert answer.match_hints == ["The query has no name and no number."]


@pytest.mark.parametrize(
    ("q", "country"),
    [
        ("zzqqxx wwkk", None),
        ("Banco Galicia", "AR"),
        ("Banco Galicia", None),
        ("Pemex", "MX"),
        ("zzqqxx wwkk LLC", None),
        ("Banco Galicia S.R.L.", "AR"),
        ("Pemex SAS", "MX"),
    ],
)
def test_a_hint_names_no_company_that_is_likelier_not_meant(directory: Directory, q: str, country: str | None) -> None:
    answer = run(directory.search(q, country=country, limit=8, language="en"))
    assert all(result.confidence < 0.5 for result in answer.results)
    assert not [
        hint for hint in answer.match_hints if "“" in hint and "that the registers here do not have" not in hint
    ]


def test_a_company_that_the_sources_lack_is_not_looked_for_abroad(directory: Directory) -> None:
    hints = run(directory.search("Pemex", country="MX", limit=8, language="en")).match_hints
    assert [hint for hint in hints if hint.startswith("The sources of Mexico lack")]
    assert not [hint for hint in hints if "Ecuador" in hint]


@pytest.mark.parametrize("q", ["aple", "aple inc"])
def test_a_misspelt_name_is_found_beside_the_symbol_of_another(directory: Directory, q: str) -> None:
    results = run(directory.search(q, country=None, limit=2, language="es")).results
    assert {result.legal_name for result in results} == {"Apple Inc.", "Apple Hospitality REIT, Inc."}


def test_a_name_in_two_words_of_another_language_is_found(directory: Directory) -> None:
    first = run(directory.search("mercado livre", country=None, limit=8, language="es")).results[0]
    assert (first.country_code, first.legal_name) == ("US", "MERCADOLIBRE INC")
    assert first.confidence > 0.5


@pytest.mark.parametrize(
    "q", ["unimed do sul", "transportes del norte", "comercializadora sas", "alianza", "seguridad privada"]
)
def test_how_sure_does_not_depend_on_how_many_are_asked_for(directory: Directory, q: str) -> None:
    first, eight, fifty = (run(directory.find(q, country=None, limit=limit)).results for limit in (1, 8, 50))
    shown = [(result.match.key, result.confidence) for result in fifty]
    assert len(shown) > 8
    assert [(result.match.key, result.confidence) for result in eight] == shown[:8]
    assert [(result.match.key, result.confidence) for result in first] == shown[:1]
    assert shown == sorted(shown, key=lambda result: -result[1])


@pytest.mark.parametrize(
    ("q", "name"),
    [
        ("todomtoos vs s. a. s.", "TODOMOTOS VS S.A.S."),  # not two companies
        ("marinae or ecuador s.a.", "MARINAD' OR ECUADOR S.A."),
        ("Sul Brasieliro Imp Exp", "SUL BRASILEIRO COM IMP EXP SA"),  # not an expediente
        ("exp. de sal", "EXPORTADORA DE SAL SA DE CV"),
        ("Hi Altterna", "HI ALTERNA SA DE CV"),  # not a greeting
        ("industrias carnicas de colombia s. a. s.", "INDUSTRIAS CARNICAS DE COLOMBIA SAS"),  # not a list
        ("r o s s special serivce s.r.l.", "R O S S SPECIAL SERVICE S R L"),
    ],
)
def test_names_with_words_of_questions_are_names(directory: Directory, q: str, name: str) -> None:
    answer = run(directory.ask(Question(q), "es"))
    assert answer.verdict == "found"
    assert answer.results[0].detail.record.legal_name == name


def test_two_companies_joined_by_or_are_still_two(directory: Directory) -> None:
    parts = run(directory.ask(Question("Ecopetrol o Petrobras"), "es")).plan.parts
    assert [part.asked.text for part in parts] == ["Ecopetrol", "Petrobras"]
    assert [part.verdict for part in parts] == ["found", "found"]
