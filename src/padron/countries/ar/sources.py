"""The official sources of Argentina and the layouts of their files."""

from __future__ import annotations

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Source, SourceColumn

RNS = Source(
    key="rns",
    name="Registro Nacional de Sociedades",
    publisher="Ministerio de Justicia de la Nación",
    url="https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades",
    licence="CC-BY-4.0",
    attribution="Ministerio de Justicia de la Nación, Registro Nacional de Sociedades",
    cadence=31,
    layouts=(
        Layout(
            "sociedades",
            "registro-nacional-sociedades*.csv",
            "csv",
            (
                SourceColumn("cuit", ("cuit",)),
                SourceColumn("razon_social", ("razon_social",)),
                SourceColumn("fecha_contrato_social", ("fecha_hora_contrato_social", "fecha_contrato_social")),
                SourceColumn("tipo_societario", ("tipo_societario",)),
                SourceColumn("dom_fiscal_provincia", ("dom_fiscal_provincia",)),
                SourceColumn("dom_fiscal_localidad", ("dom_fiscal_localidad",)),
                SourceColumn("dom_legal_provincia", ("dom_legal_provincia",)),
                SourceColumn("dom_legal_localidad", ("dom_legal_localidad",)),
                SourceColumn("actividad_codigo", ("actividad_codigo",), required=False),
                SourceColumn("actividad_descripcion", ("actividad_descripcion",), required=False),
                SourceColumn("actividad_orden", ("actividad_orden",), required=False),
                SourceColumn("actividad_estado", ("actividad_estado",), required=False),
            ),
            private=tuple(
                f"dom_{kind}_{part}"
                for kind in ("fiscal", "legal")
                for part in ("calle", "numero", "piso", "departamento", "cp")
            ),
            newest=True,
        ),
    ),
    expect=Expect(min_rows=900),
)
"""The legal persons of ARCA's (ex AFIP) Padrón Federal, law 26.047. Since December 2024 one row per activity."""

IGJ = Source(
    key="igj",
    name="Entidades constituidas en la Inspección General de Justicia",
    publisher="Inspección General de Justicia (IGJ)",
    url="https://datos.jus.gob.ar/dataset/entidades-constituidas-en-la-inspeccion-general-de-justicia-igj",
    licence="CC-BY-4.0",
    attribution="Inspección General de Justicia",
    cadence=31,
    layouts=(
        Layout(
            "entidades",
            "igj-entidades-*.csv",
            "csv",
            tuple(
                SourceColumn(name, (name,))
                for name in (
                    "numero_correlativo descripcion_tipo_societario razon_social dada_de_baja detalle_baja cuit"
                ).split()
            ),
            official=False,
            newest=True,
        ),
    ),
    expect=Expect(min_rows=30),
)
"""Companies of the city of Buenos Aires. The bundled file was rebuilt from a spreadsheet, so it is derived."""

COMPR_AR = Source(
    key="compr-ar",
    name="COMPR.AR: adjudicaciones",
    publisher="Oficina Nacional de Contrataciones",
    url="https://datos.gob.ar/dataset/sistema-de-contrataciones-electronicas",
    licence="CC-BY-4.0",
    attribution="Jefatura de Gabinete de Ministros, Oficina Nacional de Contrataciones",
    cadence=366,
    layouts=(
        Layout(
            "adjudicaciones",
            "adjudicaciones-*.csv",
            "csv",
            tuple(SourceColumn({6: "fecha", 8: "cuit", 9: "proveedor"}.get(place, "")) for place in range(1, 15)),
            encoding="utf-8",
            header="none",
            official=False,
        ),
    ),
    expect=Expect(min_rows=5_000),
)
"""Suppliers that were awarded a contract. The bundled copy has lost the official header line, so it is derived."""


SOURCES = (RNS, IGJ, COMPR_AR, gleif.SOURCE)
