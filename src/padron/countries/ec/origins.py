"""Download addresses of the Ecuadorian files.

The hosts of Supercias and the SRI answer only inside Ecuador (2026: "Unauthorized Request Blocked", or the TLS
handshake is dropped), accept only clients that look like a browser, and appscvsmovil offers only ciphers of OpenSSL's
security level 1. Outside Ecuador a mirror must be configured.
"""

from __future__ import annotations

from urllib.parse import quote

from padron.countries.ec.sources import BALANCES, DIRECTORIO, NOMBRES, RANKING, SRI
from padron.countries.origin import GLEIF, Addresses, File, Manners, Manual, Origin, fixed
from padron.words import Text

_SUPERCIAS = Manners("supercias", rate=1.0, browser=True, old_tls=True, inside=True)
_SRI = Manners("sri", rate=1.0, browser=True, inside=True)

_PROVINCES = (
    *("Azuay", "Bolivar", "Cañar", "Carchi", "Cotopaxi", "Chimborazo", "El_Oro", "Esmeraldas", "Imbabura", "Loja"),
    *("Los_Rios", "Manabi", "Morona_Santiago", "Napo", "Pastaza", "Tungurahua", "Zamora_Chinchipe", "Galapagos"),
    *("Sucumbios", "Orellana", "Santo_Domingo", "Santa_Elena", "Guayas", "Pichincha"),
)
_ZIPPED = frozenset(["Guayas", "Pichincha"])


def _province(name: str) -> File:
    file = f"SRI_RUC_{name}.{'zip' if name in _ZIPPED else 'csv'}"
    return File(file, f"https://descargas.sri.gob.ec/download/datosAbiertos/{quote(file)}")


_SRI_FILES = tuple(map(_province, _PROVINCES))
_RANKING = "https://appscvsmovil.supercias.gob.ec/ranking/recursos"

ORIGINS = (
    Origin(
        DIRECTORIO.key,
        fixed("https://mercadodevalores.supercias.gob.ec/reportes/excel/directorio_companias.xlsx"),
        _SUPERCIAS,
    ),
    Origin(
        RANKING.key,
        fixed(f"{_RANKING}/bi_compania.csv", f"{_RANKING}/bi_ranking.csv", f"{_RANKING}/bi_ciiu.csv"),
        _SUPERCIAS,
    ),
    Origin(SRI.key, Addresses(lambda _today: _SRI_FILES), _SRI),
    Origin(
        NOMBRES.key,
        Manual(
            Text(
                "Lista tomada una vez del ranking; viene con el proyecto y no se renueva.",
                "A list taken from the ranking once; it comes with the project and is not renewed.",
            )
        ),
        _SUPERCIAS,
    ),
    Origin(
        BALANCES.key,
        Manual(
            Text(
                "Ejecute el informe «Estados Financieros x Rama» del portal y guárdelo como bal<año>.txt.",
                "Run the report “Estados Financieros x Rama” of the portal and save it as bal<year>.txt.",
            ),
            "balYYYY.txt",
        ),
        _SUPERCIAS,
    ),
    GLEIF,
)
