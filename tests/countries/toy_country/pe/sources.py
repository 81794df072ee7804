"""The official source of Peru: the reduced register of taxpayers (padrón reducido) of the SUNAT."""

from __future__ import annotations

from padron.countries.country import Expect, Layout, Source, SourceColumn

PADRON_REDUCIDO = Source(
    key="padron-reducido",
    name="Padrón reducido del RUC",
    publisher="SUNAT",
    url="https://www.sunat.gob.pe/descargaPRR/mrc137_padron_reducido.html",
    licence="Datos abiertos del Estado peruano (ODC-BY)",
    attribution="Superintendencia Nacional de Aduanas y de Administración Tributaria",
    cadence=1,
    layouts=(
        Layout(
            "contribuyentes",
            "padron_reducido_ruc*.txt",
            "csv",
            (
                SourceColumn("ruc", ("RUC",)),
                SourceColumn("nombre", ("NOMBRE O RAZÓN SOCIAL",)),
                SourceColumn("estado", ("ESTADO DEL CONTRIBUYENTE",)),
                SourceColumn("ubigeo", ("UBIGEO",)),
            ),
            encoding="cp1252",
            delimiter="|",
            quote="",
            private=(
                "TIPO DE VÍA",
                "NOMBRE DE VÍA",
                "CÓDIGO DE ZONA",
                "TIPO DE ZONA",
                "NÚMERO",
                "INTERIOR",
                "LOTE",
                "DEPARTAMENTO",
                "MANZANA",
                "KILÓMETRO",
            ),
        ),
    ),
    expect=Expect(min_rows=10),
)
SOURCES = (PADRON_REDUCIDO,)
