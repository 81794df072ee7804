"""The rules of statements.sql that no bundled file shows: planted in the official layouts, one small company a rule."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from one_country import build, place, unexpecting
from padron.countries import REGISTRY

Years = dict[str, dict[str, Any]]


def made(code: str, root: Path, tmp: Path) -> tuple[Years, dict[str, Any]]:
    """`identifier/period_end` -> row of statements.parquet, and the books."""
    built, _ = build(unexpecting(REGISTRY[code]), root, tmp)
    cursor = duckdb.execute(f"FROM '{tmp}/var/snapshots/{built.name}/statements.parquet'")
    names = [column[0] for column in cursor.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {f"{row['identifier']}/{row['period_end']}": row for row in rows}, built.manifest["statements"]


def fact(val: object, end: str, start: str | None = None, **more: str) -> dict[str, Any]:
    base = {"val": val, "end": end, "accn": "0001-24-1", "form": "10-K", "filed": "2024-02-01", "fy": 1999, "fp": "FY"}
    return {**base, **({"start": start} if start else {}), **more}


def filer(tmp: Path, **facts: dict[str, list[dict[str, Any]]]) -> Path:
    """A root with one listed company, CIK 1, and its facts: `taxonomy__Tag` -> unit -> facts."""
    root = tmp / "official"
    tree: dict[str, Any] = {}
    for name, units in facts.items():
        taxonomy, tag = name.split("__")
        tree.setdefault(taxonomy.replace("_", "-"), {})[tag] = {"units": units}
    document = {"cik": 1, "entityName": "X", "facts": tree}
    other = {"cik": 2, "entityName": "Y", "facts": {"us-gaap": {"Revenues": {"units": {"USD": [YEAR]}}}}}
    place(
        root, REGISTRY["US"], "company-tickers", company_tickers__json=b'{"0":{"cik_str":1,"ticker":"X","title":"X"}}'
    )
    place(
        root,
        REGISTRY["US"],
        "companyfacts",
        CIK0000000001__json=json.dumps(document).encode(),
        CIK0000000002__json=json.dumps(other).encode(),
    )
    return root


YEAR = fact(100, "2023-12-31", "2023-01-01")


def test_the_largest_of_the_revenue_tags_is_the_total(tmp_path: Path) -> None:
    """General Mills FY2024: Revenues 2.0 billion (a joint venture), the contract tag 19.9."""
    contract = fact(19_857_200_000, "2024-05-26", "2023-05-29")
    part = fact(2_012_700_000, "2024-05-26", "2023-05-29")
    root = filer(
        tmp_path,
        us_gaap__RevenueFromContractWithCustomerIncludingAssessedTax={"USD": [contract]},
        us_gaap__Revenues={"USD": [part]},
    )
    years, books = made("US", root, tmp_path)
    assert years["1/2024-05-26"]["revenue"] == 19_857_200_000
    assert books["companyfacts"]["passed_over"] == {"other-tag": 1}
    assert books["companyfacts"]["unknown_company"] == 1, "CIK 2 is not in the directory"


def test_a_convenience_translation_is_not_the_reporting_currency(tmp_path: Path) -> None:
    pesos = [fact(year, f"{year}-12-31", f"{year}-01-01", form="20-F") for year in (2021, 2022, 2023)]
    dollars = [fact(99, "2023-12-31", "2023-01-01", form="20-F")]
    years, books = made("US", filer(tmp_path, ifrs_full__Revenue={"MXN": pesos, "USD": dollars}), tmp_path)
    assert {key: (row["currency"], row["revenue"]) for key, row in years.items()} == {
        f"1/{year}-12-31": ("MXN", year) for year in (2021, 2022, 2023)
    }
    assert books["companyfacts"]["passed_over"] == {"other-currency": 1}


def test_what_is_no_year_is_passed_over(tmp_path: Path) -> None:
    root = filer(
        tmp_path,
        us_gaap__NetIncomeLoss={
            "USD": [
                fact(10, "2022-01-01", "2021-01-03"),
                fact(3, "2022-01-01", "2021-10-03"),
                fact(4, "2022-04-02", "2022-01-02", form="10-KT"),
                fact(11, "2021-01-02", "2019-12-29", form="DEF 14A"),
                fact(7, "2022-12-31", "2022-01-02", form="8-K"),
            ],
            "shares": [fact(1, "2022-01-01", "2021-01-03")],
        },
        us_gaap__Assets={"USD": [fact(50, "2022-01-01"), fact(51, "2022-04-02")]},
    )
    years, books = made("US", root, tmp_path)
    assert list(years) == ["1/2022-01-01"]
    assert (years["1/2022-01-01"]["fiscal_year"], years["1/2022-01-01"]["assets"]) == (2021, 50)
    assert books["companyfacts"]["passed_over"] == {
        "no-currency": 1,
        "no-fiscal-year": 1,
        "not-a-year": 2,
        "other-form": 2,
    }


def test_a_broken_fact_is_counted_with_its_fault(tmp_path: Path) -> None:
    years, books = made(
        "US", filer(tmp_path, us_gaap__Assets={"USD": [fact("many", "2023-12-31"), fact(1, "2023-13-31")]}), tmp_path
    )
    assert years == {}
    assert books["companyfacts"]["rejected"] == {"bad-amount": 1, "bad-date": 1}


def test_liabilities_nobody_tagged_are_what_is_left(tmp_path: Path) -> None:
    root = filer(
        tmp_path,
        us_gaap__Revenues={"USD": [YEAR]},
        us_gaap__Assets={"USD": [fact(90, "2023-12-31")]},
        us_gaap__LiabilitiesAndStockholdersEquity={"USD": [fact(80, "2023-12-31")]},
        us_gaap__StockholdersEquity={"USD": [fact(30, "2023-12-31")]},
        us_gaap__StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest={
            "USD": [fact(35, "2023-12-31")]
        },
    )
    (row,) = made("US", root, tmp_path)[0].values()
    assert (row["liabilities"], row["equity"]) == (45, 30)
    assert row["checks"] == ["assets-not-total"]


DFP_HEADER = (
    "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;GRUPO_DFP;MOEDA;ESCALA_MOEDA;ORDEM_EXERC;DT_INI_EXERC;DT_FIM_EXERC;"
    "CD_CONTA;DS_CONTA;VL_CONTA;ST_CONTA_FIXA\n"
)
INDUSTRY = "Receita de Venda de Bens e/ou Serviços"
PROFIT = "Lucro/Prejuízo Consolidado do Período"


def dre(*rows: tuple[str, str, str, str]) -> bytes:
    """`version, code, wording, amount` of Petrobras' year 2023 in thousands."""
    lines = [
        f"33.000.167/0001-01;2023-12-31;{version};PETROBRAS;009512;DF;REAL;MIL;ÚLTIMO;2023-01-01;2023-12-31;"
        f"{code};{wording};{amount};S\n"
        for version, code, wording, amount in rows
    ]
    return (DFP_HEADER + "".join(lines)).encode("cp1252")


def test_consolidated_before_individual_and_the_highest_version(tmp_path: Path) -> None:
    root = tmp_path / "official"
    register = Path(__file__).parents[2] / "data/official/br/cvm/cad_cia_aberta.csv.gz"
    place(root, REGISTRY["BR"], "cvm", cad_cia_aberta__csv__gz=register.read_bytes())
    own = "Lucro/Prejuízo do Período"
    place(
        root,
        REGISTRY["BR"],
        "cvm-dfp",
        dfp_cia_aberta_DRE_con_2023__csv=dre(
            ("1", "3.01", INDUSTRY, "5"), ("2", "3.01", INDUSTRY, "6"), ("2", "3.11", PROFIT, "2")
        ),
        dfp_cia_aberta_DRE_ind_2023__csv=dre(("2", "3.01", INDUSTRY, "4"), ("2", "3.11", own, "2.5")),
    )
    (row,) = made("BR", root, tmp_path)[0].values()
    assert (row["scope"], row["revenue"], row["net_profit"]) == ("consolidated", 6000, 2000)
    assert (row["filing"], row["restated"], row["first_reported"]) == (
        "009512/2023-12-31/2",
        True,
        {"revenue": Decimal(5000)},
    )

    (root / "br/cvm-dfp/dfp_cia_aberta_DRE_con_2023.csv").unlink()
    place(
        root,
        REGISTRY["BR"],
        "cvm-dfp",
        dfp_cia_aberta_DRE_ind_2023__csv=dre(("2", "3.01", INDUSTRY, "4"), ("2", "3.11", own, "2.5")),
    )
    (row,) = made("BR", root, tmp_path / "again")[0].values()
    assert (row["scope"], row["revenue"], row["net_profit"]) == ("individual", 4000, 2500)


def test_a_unit_or_currency_nobody_knows_is_a_fault(tmp_path: Path) -> None:
    root = tmp_path / "official"
    register = Path(__file__).parents[2] / "data/official/br/cvm/cad_cia_aberta.csv.gz"
    place(root, REGISTRY["BR"], "cvm", cad_cia_aberta__csv__gz=register.read_bytes())
    good = dre(("1", "3.01", INDUSTRY, "5"))
    bad = good.replace(b";MIL;", b";MILHAR;")
    place(root, REGISTRY["BR"], "cvm-dfp", dfp_cia_aberta_DRE_con_2023__csv=bad)
    years, books = made("BR", root, tmp_path)
    assert (years, books["cvm-dfp"]["rejected"]) == ({}, {"unknown-unit": 1})


RANKING = (
    (
        "anio,expediente,posicion_general,id_estado_financiero,ingresos_ventas,activos,patrimonio,utilidad_an_imp,"
        "ingresos_totales,utilidad_neta,n_empleados,ciiu_n6"
    )
    + """
2023,384,1,7,100.00,50.00,20.00,5.00,110.00,4.00,163.00,G4711.01
2023,384,1,9,101.00,50.00,20.00,5.00,110.00,4.00,164.00,G4711.01
2022,384,1,5,0.00,0.00,0.00,0.00,0.00,0.00,0.00,G4711.01
2021,384,1,3,,50.00,-20.00,,110.00,,,G4711.01
2020,384,1,2,mucho,50.00,20.00,5.00,110.00,4.00,1.00,G4711.01
"""
)
BALANCE = (
    "ANIO\tEXPEDIENTE\tRUC\tNOMBRE\tRAMA_ACTIVIDAD\tDESCRIPCION_RAMA\tCIIU\tCAJA_BANCOS_311\tTOTAL_ACTIVO_CORRIENTE_361\t"
    "TOTAL_ACTIVO__499\tTOT_PASIVOS_CORRIENTES__550\tTOTAL_PASIVOS__599\tUTILIDAD_EJE_PATRIMONIO__614\t"
    "PERDIDA_EJE_PATRIMONIO__615\tTOTAL_PATRIMONIO_NETO__698\tUTILIDAD_EJERCICIO__801\tPERDIDA_EJERCICIO__802\t"
    "TOTAL_INGRESOS__6999\n"
    "2019\t384\t1790016919001\tCORPORACION FAVORITA C.A.\tG\tCOMERCIO\tG4711.01\t1,50\t2,50\t10,25\t1,00\t"
    "4,25\t0\t0,75\t6,00\t0\t1\t99,90\n"
)


def test_the_rules_of_the_ranking_and_the_balances(tmp_path: Path) -> None:
    root = tmp_path / "official"
    company = (
        b"expediente,ruc,nombre,tipo,pro_codigo,provincia\n384,1790016919001,CORPORACION FAVORITA C.A.,A,17,PICHINCHA\n"
    )
    place(root, REGISTRY["EC"], "supercias-ranking", bi_compania__csv=company, bi_ranking__csv=RANKING.encode())
    place(root, REGISTRY["EC"], "supercias-balances", bal2019__txt=BALANCE.encode("utf-16"))
    years, books = made("EC", root, tmp_path)
    newest = years["1790016919001/2023-12-31"]
    assert (newest["revenue"], newest["employees"], newest["liabilities"]) == (101, 164, 30)
    without = years["1790016919001/2021-12-31"]
    assert (without["revenue"], without["net_profit"], without["equity"], without["employees"]) == (
        110,
        None,
        -20,
        None,
    )
    assert without["basis"]["revenue"] == "ingresos_totales"
    full = years["1790016919001/2019-12-31"]
    assert (full["assets"], full["cash"], full["net_profit"]) == (Decimal("10.25"), Decimal("1.50"), Decimal("-0.75"))
    assert len(years) == 3
    assert books["supercias-ranking"]["passed_over"] == {"empty": 1, "repeated": 1}
    assert books["supercias-ranking"]["rejected"] == {"bad-amount": 1}


NIIF_HEADER = "nit,fecha_corte,concepto,periodo,valor,punto_entrada,numero_radicado\n"


def niif(*rows: str) -> bytes:
    return (NIIF_HEADER + "\n".join(rows) + "\n").encode()


def test_niif_statements(tmp_path: Path) -> None:
    """Concepts without accents, the highest filing, the comparative only where a year has no filing of its own."""
    root = tmp_path / "official"
    end = "2024-12-31T00:00:00.000"
    now = niif(
        f"899999068,{end},Total de activos,Periodo Actual,100,20 Separados,7",
        f"899999068,{end},Total pasivos,Periodo Actual,60,20 Separados,7",
        f"899999068,{end},Patrimonio total,Periodo Actual,40,20 Separados,7",
        f"899999068,{end},Total de activos,Periodo Actual,90,20 Separados,6",
        f"899999068,{end},Total de activos,Periodo Anterior,80,20 Separados,7",
        f"899999068,{end},Total de activos,Periodo Actual,999,30 Consolidados,8",
        f"899999068,{end},Propiedades de inversi\ufffdn,Periodo Actual,1,20 Separados,7",
        "899999068,2024-06-30T00:00:00.000,Total de activos,Periodo Actual,5,20 Separados,9",
        f"899999068,{end},Total de activos,2016-S1,5,20 Separados,9",
        f"1020304050,{end},Total de activos,Periodo Actual,5,10 Individuales,1",
        f"x,{end},Total de activos,Periodo Actual,5,10 Individuales,1",
        f"899999068,{end},Total pasivos,Periodo Actual,muchos,20 Separados,7",
    )
    place(
        root,
        REGISTRY["CO"],
        "niif-resultado-integral",
        **{
            "niif-resultado-integral-2024__csv": niif(
                f"899999068,{end},Ganancia (p\ufffdrdida),Periodo Actual,-3,20 Separados,7",
                f'899999068,{end},"Ganancia (p\ufffdrdida), antes de impuestos",Periodo Actual,-2,20 Separados,7',
                f"899999068,{end},Ingresos de actividades ordinarias,Periodo Actual,50.5,20 Separados,7",
            )
        },
    )
    then = "2016-12-31T00:00:00.000"
    place(
        root,
        REGISTRY["CO"],
        "niif-situacion-financiera",
        **{
            "niif-situacion-financiera-2024__csv": now,
            "niif-situacion-financiera-2016__csv": niif(
                f"899999068,{then},Total de activos,2016,30,20 Separados,1",
                f"899999068,{then},Total de activos,2015,20,20 Separados,1",
                f"899999068,{then},Total de activos,2016-S1,25,20 Separados,1",
                f"899999068,{then},Total de activos,2014,15,20 Separados,1",
            ),
        },
    )
    register = Path(__file__).parents[2] / "data/official/co/supersociedades-1000-2018/empresas_2018_2017_derived.csv"
    place(root, REGISTRY["CO"], "supersociedades-1000-2018", empresas_2018_2017_derived__csv=register.read_bytes())
    years, books = made("CO", root, tmp_path)
    own, before = years["899999068/2024-12-31"], years["899999068/2023-12-31"]
    assert (own["assets"], own["liabilities"], own["net_profit"], own["pretax_profit"]) == (
        100_000,
        60_000,
        -3000,
        -2000,
    )
    assert (own["revenue"], own["scope"], own["form"], own["filing"], own["checks"]) == (
        50_500,
        "separate",
        "Periodo Actual",
        "7",
        [],
    )
    assert (before["assets"], before["form"], before["revenue"]) == (80_000, "Periodo Anterior", None)
    assert before["source"] == "niif-situacion-financiera"
    labelled = {year: years[f"899999068/{year}-12-31"] for year in (2015, 2016)}
    assert {year: (figures["assets"], figures["form"]) for year, figures in labelled.items()} == {
        2015: (20_000, "Periodo Anterior"),
        2016: (30_000, "Periodo Actual"),
    }
    assert books["niif-situacion-financiera"]["passed_over"] == {
        "natural-person": 1,
        "no-fiscal-year": 1,
        "other-concept": 1,
        "other-period": 3,
        "other-scope": 1,
        "repeated": 1,
    }
    assert books["niif-situacion-financiera"]["rejected"] == {"bad-amount": 1, "bad-identifier": 1}
