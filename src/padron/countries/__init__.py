"""The registry of countries: a seventh country is one folder and one line here."""

from __future__ import annotations

from padron.countries.ar import AR
from padron.countries.br import BR
from padron.countries.co import CO
from padron.countries.ec import EC
from padron.countries.mx import MX
from padron.countries.us import US
from padron.country import Country

REGISTRY: dict[str, Country] = {country.code: country for country in (EC, MX, US, BR, CO, AR)}
