"""The official sources of Mexico and the layouts of their files.

There is no open register of companies (the Registro Público de Comercio and the padrón of RFCs are closed): RFCs come
from federal procurement, and INEGI's directory of establishments has companies without their RFC.
"""

from __future__ import annotations

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Source, SourceColumn

_PROVEEDOR = (SourceColumn("rfc", ("rfc",)), SourceColumn("proveedor", ("Proveedor o contratista",)))

COMPRASMX = Source(
    key="comprasmx",
    name="Contratos de ComprasMX (CompraNet)",
    publisher="Secretaría Anticorrupción y Buen Gobierno",
    url="https://comprasmx.buengobierno.gob.mx/",
    licence="Libre Uso MX (datos abiertos)",
    attribution="Secretaría Anticorrupción y Buen Gobierno, ComprasMX",
    cadence=31,
    layouts=(
        Layout(
            "contratos",
            "Contratos_ComprasMX_*.csv",
            "csv",
            _PROVEEDOR,
            "cp1252",
            private=("RESPONSABLE", "Operador anuncio", "Correo anuncio"),
        ),
        Layout("extracto", "derived-21col-utf8_*.csv", "csv", _PROVEEDOR, "utf-8", official=False),
        Layout(
            "compranet_2015",
            "sample_Contratos2015_*.csv",
            "csv",
            (SourceColumn("proveedor", ("PROVEEDOR_CONTRATISTA",)),),
            "utf-8",
            private=("RESPONSABLE",),
            official=False,
        ),
    ),
    expect=Expect(min_rows=3_000),
)
"""One row per contract; the supplier's RFC since 2023. The download is behind a captcha, so it is done by hand.
`extracto` has 21 of the 73 columns of 2026, written anew; `compranet_2015` is of the years without RFC."""

_UNIDAD_PRIVATE = (
    *("tipo_vial", "nom_vial", "tipo_v_e_1", "nom_v_e_1", "tipo_v_e_2", "nom_v_e_2", "tipo_v_e_3", "nom_v_e_3"),
    *("numero_ext", "letra_ext", "edificio", "edificio_e", "numero_int", "letra_int", "tipo_asent", "nomb_asent"),
    *("tipoCenCom", "nom_CenCom", "num_local", "cod_postal", "ageb", "manzana"),
    *("telefono", "correoelec", "www", "latitud", "longitud"),
)
_CDMX_PRIVATE = (
    *("Tipo de vialidad", "direccion", "Tipo de entre vialidad 1", "Nombre de entre vialidad 1"),
    *("Tipo de entre vialidad 2", "Nombre de entre vialidad 2"),
    *("Tipo de entre vialidad 3", "Nombre de entre vialidad 3", "Número exterior o kilómetro", "Letra exterior"),
    *("Edificio", "Edificio Piso", "Número interior", "Letra interior"),
    *("Tipo de asentamiento humano", "Nombre de asentamiento humano", "Tipo centro comercial"),
    *("Corredor industrial, centro comercial o mercado público", "Número de local", "Código Postal"),
    *("Area_geoestadistica_basica", "Manzana", "Numero_telefonico", "correo_electronico", "Sitio en Internet"),
    *("latitude", "longitude"),
)

DENUE = Source(
    key="denue",
    name="Directorio Estadístico Nacional de Unidades Económicas (DENUE)",
    publisher="Instituto Nacional de Estadística y Geografía (INEGI)",
    url="https://www.inegi.org.mx/app/descarga/?ti=6",
    licence="Términos de Libre Uso de la Información del INEGI",
    attribution="INEGI, Directorio Estadístico Nacional de Unidades Económicas",
    cadence=182,
    layouts=(
        Layout(
            "unidades",
            "denue_inegi_*.csv",
            "csv",
            (
                SourceColumn("id", ("id",)),
                SourceColumn("clee", ("clee",), required=False),
                SourceColumn("nom_estab", ("nom_estab",)),
                SourceColumn("raz_social", ("raz_social",)),
                SourceColumn("codigo_act", ("codigo_act",)),
                SourceColumn("nombre_act", ("nombre_act",)),
                SourceColumn("per_ocu", ("per_ocu",), required=False),
                SourceColumn("cve_ent", ("cve_ent",)),
                SourceColumn("entidad", ("entidad",)),
                SourceColumn("municipio", ("municipio",)),
            ),
            private=_UNIDAD_PRIVATE,
        ),
        Layout(
            "cdmx",
            "derived-mojibake_denue_*.csv",
            "csv",
            (
                SourceColumn("id", ("id_institucional",)),
                SourceColumn("clee", ("Clee",)),
                SourceColumn("nom_estab", ("Nombre de la Unidad Económica", "Nombre de la Unidad Econ√≥mica")),
                SourceColumn("raz_social", ("nombre_empresa",)),
                SourceColumn(
                    "codigo_act", ("Código de la clase de actividad SCIAN", "C√≥digo de la clase de actividad SCIAN")
                ),
                SourceColumn("nombre_act", ("actividad_economica",)),
                SourceColumn("per_ocu", ("tamaño_empresa",), required=False),
                SourceColumn("cve_ent", ("Clave entidad",)),
                SourceColumn("entidad", ("Entidad federativa",)),
                SourceColumn("municipio", ("nombre_municipio",)),
            ),
            "mac-roman-mojibake",
            private=_CDMX_PRIVATE,
            official=False,
        ),
    ),
    expect=Expect(min_rows=1_000),
)
"""One row per establishment, in zips by state (`denue_09_csv.zip`) or by activity. `unidades` has 42 columns in Latin-1
today; copies of old editions have 41, without `clee`, or are UTF-8. `raz_social` is blank where the unit belongs to a
natural person. `cdmx` has renamed headers (its `municipio` is the locality) and accents read as Mac
Roman."""

RETC = Source(
    key="retc",
    name="Registro de Emisiones y Transferencia de Contaminantes (RETC)",
    publisher="Secretaría de Medio Ambiente y Recursos Naturales (SEMARNAT)",
    url="https://www.gob.mx/semarnat/acciones-y-programas/registro-de-emisiones-y-transferencia-de-contaminantes-retc",
    licence="Libre Uso MX (datos abiertos)",
    attribution="SEMARNAT, Registro de Emisiones y Transferencia de Contaminantes",
    cadence=365,
    layouts=(
        Layout(
            "emisoras",
            "es_[0-9]*.tsv",
            "csv",
            (
                SourceColumn("nra", ("NRA",), required=False),
                SourceColumn("nombre", ("NOMBRE",)),
                SourceColumn("scian", ("SCIAN",)),
                SourceColumn("descripcion_scian", ("DESCRIPCIÓN SCIAN",)),
            ),
            "utf-8",
            "\t",
            private=(
                *("PARQUE INDUSTRIAL", "COORDENADA UTM X", "COORDENADA UTM Y", "LATITUD NORTE", "LONGITUD OESTE"),
                *("CALLE", "NÚM. EXT", "NÚM. INT", "COLONIA", "C.P."),
            ),
            official=False,
        ),
    ),
)
"""One row per plant that reports, by its NRA (número de registro ambiental). The official files are spreadsheets; these
were saved as text by a third party."""

SOURCES = (COMPRASMX, DENUE, RETC, gleif.SOURCE)
"""GLEIF's registration authority RA000449 is the SAT: its number is the RFC."""
