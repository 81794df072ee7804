"""The registry of countries: another country is one folder, its import and its name in `registry(…)` here."""

from __future__ import annotations

from padron.countries.ar import AR
from padron.countries.br import BR
from padron.countries.co import CO
from padron.countries.country import Country, registry
from padron.countries.ec import EC
from padron.countries.mx import MX
from padron.countries.us import US

REGISTRY: dict[str, Country] = registry(EC, MX, US, BR, CO, AR)
