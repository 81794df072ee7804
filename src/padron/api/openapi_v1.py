"""The OpenAPI 3.1 description of v1 and checkout, from the structs that are sent and the constants that are checked."""

from __future__ import annotations

from datetime import UTC, date, datetime

from padron.accounts.keys import SCOPES
from padron.accounts.plans import read_plans
from padron.api import account_model as office
from padron.api import v1_model
from padron.api.inputs import COUNTRIES, IDENTIFIER_LENGTH
from padron.api.measures import measured
from padron.api.openapi_members import IDEMPOTENCY, THEN, Operation, buying, checkout, document, parameter
from padron.api.openapi_search import CONDITION, search_operation
from padron.errors import Denied, Invalid, Limited, NotFound, Unavailable
from padron.lookup.statements import LABELS
from padron.model import (
    CanonicalUrls,
    EntitySource,
    Figure,
    Filing,
    Language,
    Record,
    SourceRef,
    Statement,
    Text,
)
from padron.transport.auth import offer

_PLAIN = r"[^\u0000-\u001f\u007f-\u009f]*"
_COMPANY = (
    parameter("country", "path", "Country of the register.", {"type": "string", "enum": list(COUNTRIES)}, example="BR"),
    parameter(
        "identifier",
        "path",
        "Any official identifier of the company, formatted or not, in either case.",
        {"type": "string", "minLength": 1, "maxLength": IDENTIFIER_LENGTH, "pattern": f"^{_PLAIN}$"},
        example="33000167000101",
    ),
)
_LIMITED = ("RateLimit-Policy", "RateLimit")
_DESCRIPTION = Text(
    """\
Empresas en detalle, para quien tiene una clave de API. Cada llamada lleva la clave dos veces:
`Authorization: Bearer <clave>` y `apiKey: <clave>`. Las cuentas y las claves son gratuitas; los planes de pago dan
límites más altos y estados financieros.
""",
    """\
Companies in full, for holders of an API key. Every call carries the key twice: `Authorization: Bearer <key>` and
`apiKey: <key>`. Accounts and keys are free; paid plans give higher limits and financial statements.
""",
)
_NONE = Text("Ninguna empresa de BR tiene este identificador.", "No company of BR has this identifier.")


def v1_document(base_url: str, language: Language) -> bytes:
    """The description of v1 and checkout, for a service at `base_url`, in words of `language`."""
    return document(base_url, language, "Padrón /api/v1", _DESCRIPTION, v1_operations(base_url, language))


def v1_operations(base_url: str, language: Language) -> list[Operation]:
    """The operations of v1, the checkout among them; their examples are in `language`."""
    base = "/api/v1/entities/{country}/{identifier}"
    unknown = [
        Invalid("unknown-country", parameter="country", known=COUNTRIES),
        Invalid("invalid-identifier", parameter="identifier", country="BR"),
        Invalid("identifier-too-long", parameter="identifier", maximum=IDENTIFIER_LENGTH),
        NotFound("company-not-found", country="BR", hints=[_NONE]),
        NotFound("natural-person-not-covered"),
        NotFound("identifier-not-unique", country="US", candidates=["320193", "789019"]),
        Unavailable("not-ready"),
    ]
    plans = read_plans()
    free, paid = plans.plan("free"), plans.opening("financials")
    more = offer(base_url, plans.above(free))
    spent = Limited("quota-exceeded", plan=free.name, amount=free.per_day, retry_after=3600, violated=("day",), **more)
    plan = Denied("plan-required", plans=tuple(one.name for one in paid), **offer(base_url, paid))
    entity = _entity(base_url)
    usage = v1_model.V1Usage(
        plan="free",
        scopes=list(SCOPES),
        features=[],
        minute=v1_model.UsageWindow(limit=60, remaining=59, resets_at=THEN),
        day=v1_model.UsageWindow(limit=1000, remaining=958, resets_at=THEN),
        history=[v1_model.UsageDay(date=THEN.date(), answers=42)],
    )
    return [
        search_operation(base_url, spent, language),
        Operation(
            "get",
            base,
            "getEntity",
            "One company in full, by any of its official identifiers",
            200,
            entity,
            [*unknown, spent],
            [*_COMPANY, CONDITION],
            headers=(*_LIMITED, "ETag", "Content-Location"),
        ),
        Operation(
            "get",
            f"{base}/financials",
            "getFinancials",
            "Yearly statements of one company; JSON, or CSV by Accept",
            200,
            _financials(entity.entity, base_url, language),
            [*unknown, plan, spent],
            _COMPANY,
            headers=_LIMITED,
        ),
        Operation("get", "/api/v1/usage", "getUsage", "What is used and what is left", 200, usage, headers=_LIMITED),
        Operation(
            "post",
            "/api/subscriptions/checkout",
            "startCheckout",
            "Begin to buy a plan",
            201,
            checkout(base_url),
            [*buying(), Unavailable("not-ready")],
            [IDEMPOTENCY],
            office.BuyPlan(plan_id="pro"),
            headers=_LIMITED,
        ),
    ]


def _entity(base_url: str) -> v1_model.V1Entity:
    number, path = "33000167000101", "33000167000101"
    company = f"{base_url}/api/v1/entities/BR/{path}"
    source = _source()
    record = v1_model.V1Record(
        legal_name="PETROLEO BRASILEIRO S A PETROBRAS",
        trade_name="PETROBRAS",
        country_code="BR",
        scheme="br-cnpj",
        identifier=number,
        id_label="CNPJ",
        confidence=None,
        status="active",
        classification_code="1921700",
        classification_label="Fabricação de produtos do refino de petróleo",
        financials_available=True,
        canonical_urls=CanonicalUrls(es=f"{base_url}/es/empresas/br/{path}", en=f"{base_url}/en/companies/br/{path}"),
        source=SourceRef(source_name=source.name, source_url=source.url),
        refreshed_at=datetime(2026, 10, 1, tzinfo=UTC),
        official_status="ATIVA",
        legal_form=v1_model.LegalForm(code="sa", es="Sociedad anónima", en="Corporation", official="203-8"),
        names=[v1_model.OtherName(kind="ticker", name="PETR4", since=None, until=None)],
        identifiers=[v1_model.OtherIdentifier(scheme="lei", identifier="5493000J801JZRCMFE49", id_label="LEI")],
        activities=[
            v1_model.Activity(
                code="1921700", label="Fabricação de produtos do refino de petróleo", system="CNAE", version="2.3"
            )
        ],
        region="RJ",
        municipality="RIO DE JANEIRO",
        incorporated_on=date(1953, 10, 3),
        ended_on=None,
        establishments=220,
        country_of_incorporation=None,
        sources=[source],
        provenance={"legalName": source.key, "officialStatus": source.key},
        completeness=0.9,
        links=v1_model.V1Links(
            self=company, financials=f"{company}/financials", public=f"{base_url}/api/public/empresas/BR/{path}"
        ),
    )
    asked = v1_model.RequestedIdentifier(scheme="br-cnpj", identifier=number, match="primary", valid_check=True)
    return v1_model.V1Entity(entity=record, requested_identifier=asked)


def _source() -> EntitySource:
    return EntitySource(
        key="receita-federal",
        name="Cadastro Nacional da Pessoa Jurídica",
        publisher="Receita Federal do Brasil",
        url=None,
        licence="CC BY 4.0",
        attribution="Receita Federal do Brasil",
    )


def _financials(real: v1_model.V1Record, base_url: str, language: Language) -> v1_model.Financials:
    """Two years of an invented company: this description is open to all, and amounts are not."""
    number = "11222333000181"
    urls = CanonicalUrls(es=f"{base_url}/es/empresas/br/{number}", en=f"{base_url}/en/companies/br/{number}")
    name = "EMPRESA DE EXEMPLO S.A."
    invented = {"legal_name": name, "trade_name": None, "identifier": number, "canonical_urls": urls}
    shared = {name: getattr(real, name) for name in Record.__struct_fields__}
    years = [
        _statement(2023, "1100000", "132000", language),
        _statement(2022, "1000000", "100000", language),
    ]
    return v1_model.Financials(entity=Record(**shared | invented), statements=measured(years, language), absence=None)


def _statement(year: int, revenue: str, profit: str, language: Language) -> Statement:
    figures = (("revenue", "revenue", revenue, "3.01"), ("netProfit", "net_profit", profit, "3.11"))
    return Statement(
        fiscal_year=year,
        period_start=date(year, 1, 1),
        period_end=date(year, 12, 31),
        currency="BRL",
        unit=1,
        scope="consolidated",
        figures=[
            Figure(key=key, label=LABELS[name].of(language), amount=amount, basis=basis, first_reported=None)
            for key, name, amount, basis in figures
        ],
        employees=None,
        restated=False,
        filing=Filing(form="DFP", reference=str(year), filed_on=date(year + 1, 3, 7)),
        source=_source(),
        checks=[],
    )
