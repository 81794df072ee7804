"""Example answers of the OpenAPI documents; their tests hold them against the schemas."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final

import msgspec

from padron.accounts.keys import SCOPES
from padron.accounts.plans import TERMS, Plans
from padron.api import account_model, v1_model
from padron.api import v1_search_model as wire
from padron.api.growth_and_ratios import with_growth_and_ratios
from padron.api.v1_changes import Changes, CompanyChange
from padron.api.v1_match import AnsweredRow, ListMatches
from padron.api.v1_watchlists import (
    ChangeWatchlist,
    CompanyToWatch,
    SavedSearchShown,
    SearchToSave,
    WatchedEntry,
    WatchlistContent,
    WatchlistSummary,
)
from padron.api.v1_webhooks import MessageShown, WebhookEvent, WebhookEventData, WebhookMade, WebhookShown
from padron.companies.answers import Answer, Entity
from padron.companies.company import Record, Teaser, V1Record
from padron.companies.fields import EXAMPLES
from padron.companies.model import (
    Activity,
    CanonicalUrls,
    CountryCoverage,
    Coverage,
    EntitySource,
    Figure,
    Filing,
    LegalForm,
    NotCovered,
    OfficialCompanyCount,
    OtherIdentifier,
    OtherName,
    SourceRef,
    SourceState,
    Statement,
    V1Links,
)
from padron.lookup.statements import LABELS
from padron.words import Language, translate

MOMENT: Final = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
PASSWORD: Final = "una frase larga y propia"  # noqa: S105 - an example
EMAIL: Final = "ana@example.ec"


def answer(base_url: str) -> Answer:
    """Return a search with one result."""
    teaser = Teaser(**_company(base_url, Teaser) | {"confidence": 0.9934})
    return Answer(
        q="apple inc",
        country="US",
        best_match=teaser,
        suggested_countries=[],
        match_hints=[],
        results=[teaser],
    )


def list_matches(base_url: str) -> ListMatches:
    """Return the companies of a list of one row."""
    return ListMatches(
        release="2026-11-01-0a1b2c3d",
        matches=[
            AnsweredRow(
                id="supplier 12",
                verdict="found",
                company=Teaser(**_company(base_url, Teaser) | {"confidence": 0.9934}),
                matched_on="legalName",
                conflicts=[],
                reason="“Apple Inc.” (US, CIK 0000320193) is very probably the company you are looking for"
                " (confidence 0.9934): legal name, the same words.",
            )
        ],
    )


def changes() -> Changes:
    """Return a page of one change."""
    return Changes(
        changes=[
            CompanyChange(
                change="status-changed",
                country_code="EC",
                scheme="ec-ruc",
                identifier="1790016919001",
                legal_name="CORPORACION FAVORITA C.A.",
                before="active",
                after="in_liquidation",
                release="2026-11-01-0a1b2c3d",
                released_at="2026-11-02T03:04:05+00:00",
            )
        ],
        cursor="2-4711",
        more=False,
    )


def watchlist() -> WatchlistSummary:
    """Return a watchlist of one company and one search."""
    return WatchlistSummary(
        id="wl_0123456789abcdef01234567", name="Proveedores", created_at=MOMENT, companies=1, searches=1
    )


def watchlist_content() -> WatchlistContent:
    """Return a watchlist with all it holds."""
    return WatchlistContent(
        watchlist=watchlist(),
        companies=[
            WatchedEntry(
                country_code="EC",
                identifier="1790016919001",
                legal_name="CORPORACION FAVORITA C.A.",
                added_at=MOMENT,
            )
        ],
        next_cursor=None,
        searches=[
            SavedSearchShown(id="srch_0123456789abcdef01234567", text="grupo argos", country="CO", added_at=MOMENT)
        ],
    )


def watchlist_change() -> ChangeWatchlist:
    """Return a change of a watchlist that adds a company and a search."""
    return ChangeWatchlist(
        name="Proveedores",
        add_companies=[CompanyToWatch(country="EC", identifier="1790016919001")],
        add_searches=[SearchToSave(text="grupo argos", country="CO")],
    )


def webhook() -> WebhookShown:
    """Return a webhook all of whose messages arrived."""
    return WebhookShown(
        id="whk_0123456789abcdef01234567",
        watchlist="wl_0123456789abcdef01234567",
        url="https://hooks.example.ec/padron",
        created_at=MOMENT,
        failed_tries=0,
        next_try_at=None,
        disabled_at=None,
    )


def webhook_made() -> WebhookMade:
    """Return a webhook with a secret."""
    return WebhookMade(webhook=webhook(), secret="whsec_…")  # noqa: S106 - an example


def webhook_message() -> MessageShown:
    """Return a test message that waits."""
    return MessageShown(
        id="msg_0123456789abcdef01234567",
        type="webhook.test",
        state="waiting",
        tries=0,
        status=None,
        fault=None,
        created_at=MOMENT,
        last_try_at=None,
    )


def webhook_event() -> WebhookEvent:
    """Return the message of a change."""
    return WebhookEvent(
        type="companies.changed",
        timestamp=MOMENT,
        data=WebhookEventData(watchlist=webhook().watchlist, changes=changes().changes),
    )


def webhook_test() -> WebhookEvent:
    """Return a test message."""
    return WebhookEvent(
        type="webhook.test", timestamp=MOMENT, data=WebhookEventData(watchlist=webhook().watchlist, changes=[])
    )


LIST_STREAMS: Final = {
    "application/x-ndjson": (
        '{"name":"Apple","country":"US"}\n',
        '{"row":0,"verdict":"found","company":{"legalName":"Apple Inc.","countryCode":"US","scheme":"us-cik",…},…}\n',
    ),
    "text/csv": (
        "name,country\nApple,US\n",
        "name,country,padron_verdict,padron_confidence,…\nApple,US,found,0.9934,…\n",
    ),
}
"""Lists and their answers in formats of lines."""


def entity(base_url: str) -> Entity:
    """Return a company by its identifier."""
    source = SourceRef(
        source_name="EDGAR submissions",
        source_url="https://www.sec.gov/search-filings/edgar-application-programming-interfaces",
    )
    refreshed = datetime(2026, 2, 26, tzinfo=UTC)
    return Entity(entity=Record(**_company(base_url, Record) | {"source": source, "refreshed_at": refreshed}))


def coverage() -> Coverage:
    """Return one country with one source."""
    source = SourceState(
        name="Sociedades (Registro Nacional)",
        url="https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades",
        licence="CC BY 4.0",
        attribution="Ministerio de Justicia de la República Argentina",
        date=date(2026, 9, 1),
        records=970,
        state="fresh",
    )
    existing = OfficialCompanyCount(
        count=1_245_492,
        counted="entidades con CUIT del Registro Nacional de Sociedades",
        date=date(2026, 2, 23),
        title="Registro Nacional de Sociedades",
        url="https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades",
    )
    lacking = NotCovered(
        kind="uniones transitorias, fideicomisos y otros contratos",
        register="Inspección General de Justicia, Registro Público",
        register_url="https://www.argentina.gob.ar/justicia/igj",
        title="Registro Nacional de Sociedades: consideraciones para la interpretación de los datos",
        url="https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades",
    )
    country = CountryCoverage(
        country_code="AR",
        companies=970,
        by_scheme={"ar-cuit": 970},
        sources=[source],
        existing=existing,
        not_covered=[lacking],
    )
    generated = datetime(2026, 9, 13, 4, 0, tzinfo=UTC)
    return Coverage(countries=[country], total=970, release="2026-09-13-205df3ff", generated_at=generated)


def _company(base_url: str, model: type[Teaser]) -> dict[str, Any]:
    """Return the members of the example company; one that is not stated is null."""
    return {
        **dict.fromkeys(model.__struct_fields__),
        "legal_name": "Apple Inc.",
        "trade_name": None,
        "country_code": "US",
        "scheme": "us-cik",
        "identifier": "320193",
        "id_label": "CIK",
        "status": None,
        "classification_code": "3571",
        "classification_label": "ELECTRONIC COMPUTERS",
        "financials_available": False,
        "canonical_urls": CanonicalUrls(
            es=f"{base_url}/es/empresas/us/320193", en=f"{base_url}/en/companies/us/320193"
        ),
    }


def v1_answer(base_url: str, language: Language) -> wire.V1Answer:
    """Return the answer to a question for a number, asked in either language."""
    spanish = language == "es"
    number = "1790016919001"
    result = _result(base_url, number, spanish)
    return wire.V1Answer(
        q="¿cuál es el RUC de Corporación Favorita?" if spanish else "RUC of Corporación Favorita, please",
        country=None,
        verdict="found",
        sentence=(
            f"El RUC de CORPORACION FAVORITA C.A. (Ecuador) es {number}. Confianza: 99,9 %."
            if spanish
            else f"The RUC (tax number) of CORPORACION FAVORITA C.A. (Ecuador) is {number}. Confidence: 99.9%."
        ),
        best_match=result,
        suggested_countries=[],
        match_hints=[],
        results=[result],
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
                country_code="EC", records=95546, date="2025-12-31", sources=["Ranking de Compañías"], complete=False
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


def _result(base_url: str, number: str, spanish: bool) -> wire.V1Result:
    shared: dict[str, Any] = {
        **dict.fromkeys(Teaser.__struct_fields__),
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
            "«CORPORACION FAVORITA C.A.» (EC, RUC 1790016919001) es muy probablemente la empresa buscada (confianza"
            " 0,9996): nombre legal, las mismas palabras."
            if spanish
            else "“CORPORACION FAVORITA C.A.” (EC, RUC (tax number) 1790016919001) is very probably the company you are"
            " looking for (confidence 0.9996): legal name, the same words."
        ),
    )


def v1_entity(base_url: str) -> v1_model.V1Entity:
    """Return the company of the examples in `company_fields`, in full."""
    number = EXAMPLES["identifier"]
    company = f"{base_url}/api/v1/entities/BR/{number}"
    source = _source()
    composed = {
        "confidence": None,
        "canonicalUrls": CanonicalUrls(
            es=f"{base_url}/es/empresas/br/{number}", en=f"{base_url}/en/companies/br/{number}"
        ),
        "source": SourceRef(source_name=source.name, source_url=source.url),
        "legalForm": LegalForm(code="sa", es="Sociedad anónima", en="Corporation", official="203-8"),
        "names": [OtherName(kind="ticker", name="PETR4", since=None, until=None)],
        "identifiers": [OtherIdentifier(scheme="lei", identifier="5493000J801JZRCMFE49", id_label="LEI")],
        "activities": [
            Activity(
                code=EXAMPLES["classificationCode"],
                label=EXAMPLES["classificationLabel"],
                system="CNAE",
                version="2.3",
            )
        ],
        "sources": [source],
        "links": V1Links(
            self=company, financials=f"{company}/financials", public=f"{base_url}/api/public/empresas/BR/{number}"
        ),
    }
    record = msgspec.convert(EXAMPLES | msgspec.to_builtins(composed), V1Record)
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


def financials(base_url: str, language: Language) -> v1_model.Financials:
    """Return two years of an invented company: the description is open to all, and amounts are not."""
    real = v1_entity(base_url).entity
    number = "11222333000181"
    urls = CanonicalUrls(es=f"{base_url}/es/empresas/br/{number}", en=f"{base_url}/en/companies/br/{number}")
    name = "EMPRESA DE EXEMPLO S.A."
    invented = {"legal_name": name, "trade_name": None, "identifier": number, "canonical_urls": urls}
    shared = {name: getattr(real, name) for name in Record.__struct_fields__}
    years = [
        _statement(2023, "1100000", "132000", language),
        _statement(2022, "1000000", "100000", language),
    ]
    return v1_model.Financials(
        entity=Record(**shared | invented), statements=with_growth_and_ratios(years, language), absence=None
    )


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
            Figure(key=key, label=translate(LABELS[name], language), amount=amount, basis=basis, first_reported=None)
            for key, name, amount, basis in figures
        ],
        employees=None,
        restated=False,
        filing=Filing(form="DFP", reference=str(year), filed_on=date(year + 1, 3, 7)),
        source=_source(),
        checks=[],
    )


def account() -> account_model.AccountShown:
    """Return an account on the free plan."""
    return account_model.AccountShown(
        id="acc_0123456789abcdef01234567",
        email=EMAIL,
        language="es",
        plan="free",
        created_at=MOMENT,
        suspended_at=None,
        terms_version=TERMS,
        subscription=None,
    )


def key() -> account_model.KeyShown:
    """Return a key with every scope."""
    return account_model.KeyShown(
        id="key_0123456789abcdef01234567",
        name="uno",
        ending="c0P4",
        scopes=list(SCOPES),
        allowed_addresses=[],
        allowed_origins=[],
        answers_per_day=None,
        test=False,
        state="active",
        created_at=MOMENT,
        expires_at=None,
        revoked_at=None,
        leaked_at=None,
        last_used_at=None,
    )


def session() -> account_model.SessionShown:
    """Return the session of this request."""
    return account_model.SessionShown(
        id="ses_0123456789abcdef", browser="Firefox, Linux", created_at=MOMENT, seen_at=MOMENT, current=True
    )


def invoice() -> account_model.InvoiceShown:
    """Return the invoice of a month."""
    return account_model.InvoiceShown(
        number="A1B2C3D4-0001",
        issued_at=MOMENT,
        total=5_635,
        currency="USD",
        state="paid",
        page="https://invoice.stripe.com/i/…",
        pdf="https://pay.stripe.com/invoice/…/pdf",
    )


def enrolled() -> account_model.Enrolled:
    """Return what an app needs to make codes."""
    text = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    uri = f"otpauth://totp/Padr%C3%B3n:{EMAIL}?secret={text}&issuer=Padr%C3%B3n"
    return account_model.Enrolled(secret=text, uri=uri)


def export() -> account_model.Export:
    """Return the copy of an account that has used nothing yet."""
    nothing: dict[str, list[dict[str, Any]]] = {
        name: [] for name in account_model.Export.__struct_fields__ if name != "account"
    }
    return account_model.Export(account={"id": account().id}, **nothing)


def v1_usage(plans: Plans) -> v1_model.V1Usage:
    """Return the usage of a key on the free plan."""
    plan = plans.plan("free")
    return v1_model.V1Usage(
        plan=plan.code,
        scopes=list(SCOPES),
        features=[],
        minute=_window(plan.per_minute, 1),
        day=_window(plan.per_day, 42),
        rows=_window(plan.rows_per_day, 300),
        history=[v1_model.UsageDay(date=MOMENT.date(), answers=42, rows=300)],
    )


def account_usage(plans: Plans) -> account_model.AccountUsage:
    """Return the usage of an account on the free plan."""
    plan = plans.plan("free")
    return account_model.AccountUsage(
        plan=plan.code,
        minute=_window(plan.per_minute),
        day=_window(plan.per_day),
        rows=_window(plan.rows_per_day),
        history=[],
        by_key=[],
    )


def _window(amount: int, used: int = 0) -> v1_model.UsageWindow:
    return v1_model.UsageWindow(limit=amount, remaining=amount - used, resets_at=MOMENT)


def checkout(base_url: str) -> account_model.CheckoutShown:
    """Return a checkout that was begun."""
    return account_model.CheckoutShown(
        checkout_url=f"{base_url}/sandbox/checkout/sbx_chk_0123456789abcdef01234567",
        checkout_id="chk_0123456789abcdef01234567",
        plan_id="pro",
        expires_at=MOMENT,
    )
