"""A small directory with the traps of names and numbers: real companies where the number is theirs, others invented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from padron.companies.company import Company
from padron.companies.fields import TRACED
from padron.companies.model import Name
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.index import release_index
from padron.index.engine import EngineKind
from padron.index.engines import EMBEDDED
from padron.index.release_index import ReleaseIndex
from padron.lookup import statements
from padron.releases import snapshot
from padron.releases.snapshot import Release

BASE_URL = "https://padron.example"
LEI_PETROBRAS = "5493000J801JZRCMFE49"


def _company(country: str, scheme: str, identifier: str, legal_name: str, **more: object) -> Company:
    blank = dict.fromkeys(Company._fields)
    blank |= {
        "aliases": (),
        "names": (),
        "source": "",
        "sources": (),
        "given": (),
        "financials": False,
        "link_home": True,
        "linked_names": (),
    }
    return Company(
        **{
            **blank,
            "country": country,
            "scheme": scheme,
            "identifier": identifier,
            "legal_name": legal_name,
            **more,
        }
    )


_GIVEN = {"legal_name": "supercias-ranking", "status_raw": "supercias-names", "activity_code": "supercias-ranking"}
"""Column of the first company -> the source that gave it, where not all come from one."""

COMPANIES = (
    _company(
        "EC",
        "ec-ruc",
        "1790016919001",
        "CORPORACION FAVORITA C.A.",
        aliases=(("ec-expediente", "384"),),
        status="active",
        status_raw="ACTIVA",
        activity_code="G4711.01",
        activity_label="VENTA AL POR MENOR",
        region="PICHINCHA",
        municipality="QUITO",
        names=(Name("former", "SUPERMERCADOS LA FAVORITA C.A.", None, "2014-05-02"),),
        source="supercias-ranking",
        sources=("supercias-ranking", "supercias-names"),
        given=tuple(_GIVEN.get(column) for column in TRACED),
        refreshed="2024-12-31",
        financials=True,
        size=0.9,
    ),
    _company("EC", "ec-expediente", "320193", "COMERCIAL DEL PACIFICO COMPAC CIA. LTDA.", source="supercias-names"),
    _company("EC", "ec-expediente", "1001", "INMOBILIARIA LOS ALPES S.A.", municipality="QUITO"),
    _company("EC", "ec-expediente", "1002", "INMOBILIARIA LOS ALPES II S.A."),
    _company("EC", "ec-expediente", "1003", "DISTRIBUIDORA GARCOS CIA. LTDA."),
    _company("EC", "ec-expediente", "1004", "CERVECERIA NACIONAL CN S.A."),
    _company("EC", "ec-expediente", "1005", "CINEMAFORTIN S.A. CINEFORTSA"),
    _company("EC", "ec-expediente", "1006", "HOTEL PLAZA S.A."),
    _company("CO", "co-nit", "800000013", "HOTEL PLAZA S.A.S."),
    _company("CO", "co-nit", "899999068", "ECOPETROL S.A.", size=1.0, municipality="BOGOTA D.C."),
    _company("CO", "co-nit", "890900608", "ALMACENES EXITO S.A."),
    _company("CO", "co-nit", "900276962", "D1 S.A.S."),
    _company("CO", "co-nit", "800000021", "TRANSPORTES SANCHEZ POLO S.A. EN REORGANIZACION"),
    _company(
        "BR",
        "br-cnpj",
        "33000167000101",
        "PETRÓLEO BRASILEIRO S.A. - PETROBRAS",
        trade_name="PETROBRAS",
        aliases=(("lei", LEI_PETROBRAS),),
        link="petrobras",
        size=1.0,
    ),
    _company("BR", "br-cnpj", "33795055000194", "PETROBRAS QUÍMICA S.A. - PETROQUISA"),
    _company("BR", "br-cnpj", "00000000000191", "BANCO DO BRASIL S.A."),
    _company("BR", "br-cnpj", "12ABC34501DE35", "ÑANDÚ COMÉRCIO LTDA."),
    _company(
        "US",
        "us-cik",
        "1119639",
        "PETROBRAS - PETROLEO BRASILEIRO SA",
        aliases=(("lei", LEI_PETROBRAS),),
        names=(Name("ticker", "PBR", None, None),),
        home="BR",
        link="petrobras",
        link_home=False,
    ),
    _company(
        "US",
        "us-cik",
        "320193",
        "Apple Inc.",
        aliases=(("us-ein", "942404110"),),
        names=(Name("ticker", "AAPL", None, None), Name("former", "APPLE COMPUTER INC", None, "2007-01-04")),
        size=1.0,
    ),
    _company("US", "us-cik", "1418121", "Apple Hospitality REIT, Inc."),
    _company("US", "us-cik", "789019", "MICROSOFT CORP"),
    _company("US", "us-cik", "21344", "COCA COLA CO", aliases=(("us-ein", "580628465"),)),
    _company("US", "us-cik", "317540", "Coca-Cola Consolidated, Inc.", aliases=(("us-ein", "123456789"),)),
    _company("US", "us-cik", "900001", "COKE BOTTLING TRUST", aliases=(("us-ein", "123456789"),)),
    _company("MX", "mx-rfc", "CÑ&850101AB1", "CAMINOS Y ÑANDÚES, S.A. DE C.V."),
    _company("MX", "mx-clee", "09016522110003136001000000U6", "BANCO JP MORGAN SA INSTITUCION DE BANCA MULTIPLE"),
    _company("AR", "ar-cuit", "30546689979", "YPF SOCIEDAD ANONIMA"),
    _company("AR", "ar-igj", "10", "ASOCIACION MUTUAL DEL SUR"),
)
"""Companies in the order of the index; 320193 is a CIK and an expediente, two companies share an EIN."""


@pytest.fixture(scope="session")
def company() -> Callable[..., Company]:
    """Make a company: country, scheme, identifier, legal name, and columns by name."""
    return _company


@pytest.fixture(scope="session")
def companies() -> tuple[Company, ...]:
    """The companies of the small directory."""
    return COMPANIES


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small directory as an index folder. Read only."""
    folder = tmp_path_factory.mktemp("index") / "index"
    release_index.build(COMPANIES, folder, REGISTRY)
    return folder


@pytest.fixture(scope="session")
def opened(index: Path) -> ReleaseIndex:
    """`index`, opened."""
    return run(release_index.open_index(index))


def _publish(data: Path, release_id: str, companies: tuple[Company, ...], engine: EngineKind = EMBEDDED) -> None:
    codes = sorted({company.country for company in companies})
    source = {"name": "Registro", "url": None, "licence": "CC0", "attribution": "—", "records": 1, "state": "fresh"}
    coverage = {
        "countries": [
            {"countryCode": code, "companies": 1, "byScheme": {}, "sources": [source | {"date": "2026-03-01"}]}
            for code in codes
        ],
        "total": len(companies),
        "release": release_id,
    }
    with snapshot.building(data) as work:
        release_index.build(companies, work / "index", REGISTRY, engine)
        statements.build((), work / "index" / "statements")
        snapshot.place(work / "index", snapshot.index_folder(data, release_id, release_index.FORMAT))
        release = Release(release_id, "2026-03-02T00:00:00+00:00", {}, {}, coverage, {})
        snapshot.write_release(data, work, release)
        snapshot.publish(data, work, release_id)


@pytest.fixture(scope="session")
def publish() -> Callable[[Path, str, tuple[Company, ...]], None]:
    """Publishes a release of some companies into a data folder."""
    return _publish


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the small directory published as `small-1`. Read only."""
    data = tmp_path_factory.mktemp("small") / "var"
    _publish(data, "small-1", COMPANIES)
    return data


@pytest.fixture(scope="session")
def small(small_data: Path) -> Directory:
    """The small directory."""
    return run(Directory.open(small_data, REGISTRY, BASE_URL))
