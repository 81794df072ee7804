"""The description of agentic search: its parameters, and an answer in the reader's language."""

from __future__ import annotations

from typing import Any, Final

from padron.api import v1_search_model as wire
from padron.api.inputs import COUNTRIES
from padron.api.openapi_members import TEXT, Operation, parameter
from padron.api.openapi_words import Json
from padron.api.v1_search import ALL, LIMIT, Q_LENGTH
from padron.country import Status
from padron.errors import Invalid, Limited, NotFound, PadronError, Unavailable
from padron.model import CanonicalUrls, Language
from padron.questions.interpretation import ASPECTS

CONDITION: Final = parameter("If-None-Match", "header", "ETag of the copy held.", TEXT, required=False)

_PLAIN = r"[^\u0000-\u001f\u007f-\u009f]*"
_VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"
_ASPECT = "|".join(ASPECTS)
_QUESTIONS: Final = (
    ("identifier", "The number of a company", "¿cuál es el RUC de Corporación Favorita?"),
    ("several", "Several companies", "Grupo Argos or Cementos Argos, Colombia, active"),
    ("list", "All that fit a description", "empresas brasileiras de energia listadas"),
    ("name", "A name", "petrobras"),
)
"""Questions by way of example, in the three languages that are understood."""


def search_operation(base_url: str, spent: Limited, language: Language) -> Operation:
    """The operation, its answer by way of example in `language`; `spent` is the error of a spent quota."""
    return Operation(
        "get",
        "/api/v1/search",
        "search",
        "Ask for companies as one asks a person, in Spanish, English or Portuguese: by name, number or description",
        200,
        _answer(base_url, language),
        [*_errors(), NotFound("natural-person-not-covered"), Unavailable("not-ready"), spent],
        [*_parameters(), CONDITION],
        headers=("RateLimit-Policy", "RateLimit", "ETag"),
    )


def _parameters() -> list[Json]:
    fewest, longest = Q_LENGTH
    least, most, default = LIMIT
    q = {
        "type": "string",
        "minLength": fewest,
        "maxLength": longest,
        "pattern": f"^{_PLAIN}{_VISIBLE}{_PLAIN}{_VISIBLE}{_PLAIN}$",
    }
    optional = (
        ("country", "Search this country's registers only.", {"type": "string", "enum": list(COUNTRIES)}),
        ("limit", "Results a page.", {"type": "integer", "minimum": least, "maximum": most, "default": default}),
        ("status", "Only companies of this status.", {"type": "string", "enum": [str(status) for status in Status]}),
        ("activity", "Only activities whose code begins so.", {"type": "string", "pattern": r"^[A-Za-z]?[0-9]{1,6}$"}),
        ("legalForm", "Only this legal form, by its code.", {"type": "string", "pattern": "^[a-z]{2,10}$"}),
        ("region", "Only this province, state or department.", {"type": "string", "pattern": "^[A-Za-z]{2,40}$"}),
        (
            "hasFinancials",
            "Only companies with, or without, statements.",
            {"type": "string", "enum": ["true", "false"]},
        ),
        (
            "ignore",
            "Aspects that are not to be understood of the text, separated by commas; `all`: q is a name or a number.",
            {"type": "string", "pattern": f"^({ALL}|({_ASPECT})(,({_ASPECT}))*)$"},
        ),
        ("cursor", "`nextCursor` of the page before.", {"type": "string", "maxLength": 40}),
    )
    examples = {name: {"summary": caption, "value": text} for name, caption, text in _QUESTIONS}
    return [
        parameter("q", "query", "A question, a name or an identifier.", q, examples=examples),
        *(parameter(name, "query", text, schema, required=False) for name, text, schema in optional),
    ]


def _errors() -> list[PadronError]:
    fewest, longest = Q_LENGTH
    least, most, _ = LIMIT
    return [
        Invalid("query-missing", parameter="q"),
        Invalid("query-too-short", parameter="q", minimum=fewest),
        Invalid("query-too-long", parameter="q", maximum=longest),
        Invalid("unknown-country", parameter="country", known=COUNTRIES),
        Invalid("limit-out-of-range", parameter="limit", minimum=least, maximum=most),
        Invalid("repeated-parameter", parameter="q"),
        Invalid("control-characters", parameter="q"),
        Invalid("not-utf8", parameter="q"),
        Invalid("bad-filter", parameter="status", known=("active",)),
        Invalid("bad-cursor", parameter="cursor"),
    ]


def _answer(base_url: str, language: Language) -> wire.V1Answer:
    """The answer to a question for a number, asked in either language."""
    spanish = language == "es"
    number = "1790016919001"
    found = _company(base_url, number, spanish)
    return wire.V1Answer(
        q="¿cuál es el RUC de Corporación Favorita?" if spanish else "RUC of Corporación Favorita, please",
        country=None,
        verdict="found",
        sentence=(
            f"El RUC de CORPORACION FAVORITA C.A. (Ecuador) es {number}. Confianza: 99,9 %."
            if spanish
            else f"The RUC (tax number) of CORPORACION FAVORITA C.A. (Ecuador) is {number}. Confidence: 99.9%."
        ),
        best_match=found,
        suggested_countries=[],
        match_hints=[],
        results=[found],
        total=1,
        next_cursor=None,
        interpretation=wire.Interpretation(
            intent="company",
            language=language,
            companies=[
                wire.AskedCompany(
                    text="Corporación Favorita",
                    scheme="ec-ruc",
                    readings=[wire.Reading(how="bare", name="Corporación Favorita", country="EC", chosen=True)],
                )
            ],
            understood=[wire.Understood(aspect="scheme", text="RUC", value="ec-ruc")],
            ignored=[],
            left_out=0,
        ),
        steps=[
            wire.Step(
                action="similarName",
                detail=(
                    "El nombre «Corporación Favorita» en Ecuador, también con erratas"
                    if spanish
                    else "The name “Corporación Favorita” in Ecuador, typos allowed for"
                ),
                found=1,
                took_ms=0.412,
            )
        ],
        companies=[],
        searched=[
            wire.SearchedCountry(
                country_code="EC", records=95547, date="2025-12-31", sources=["Ranking de Compañías"], complete=False
            )
        ],
        next_steps=[
            wire.NextStep(
                action="getEntity",
                method="GET",
                link=f"{base_url}/api/v1/entities/EC/{number}",
                why=(
                    "Leer la ficha de CORPORACION FAVORITA C.A."
                    if spanish
                    else "Read all that is known of CORPORACION FAVORITA C.A."
                ),
            )
        ],
    )


def _company(base_url: str, number: str, spanish: bool) -> wire.V1Result:
    shared: dict[str, Any] = {
        "legal_name": "CORPORACION FAVORITA C.A.",
        "trade_name": None,
        "country_code": "EC",
        "scheme": "ec-ruc",
        "identifier": number,
        "id_label": "RUC" if spanish else "RUC (tax number)",
        "confidence": 0.9996,
        "status": None,
        "classification_code": "G4711.01",
        "classification_label": "VENTA AL POR MENOR DE GRAN VARIEDAD DE PRODUCTOS EN TIENDAS",
        "financials_available": True,
        "canonical_urls": CanonicalUrls(
            es=f"{base_url}/es/empresas/ec/{number}", en=f"{base_url}/en/companies/ec/{number}"
        ),
    }
    return wire.V1Result(
        **shared,
        matched_on="legalName",
        margin=0.9996,
        explanations={"sameName": 5.1, "matchedWords": 2.4},
        explanation=(
            "«CORPORACION FAVORITA C.A.» (EC, RUC 1790016919001) es la empresa buscada (confianza 0.9996): nombre"
            " legal, las mismas palabras."
            if spanish
            else "“CORPORACION FAVORITA C.A.” (EC, RUC (tax number) 1790016919001) is the company asked for (confidence"
            " 0.9996): legal name, the same words."
        ),
    )
