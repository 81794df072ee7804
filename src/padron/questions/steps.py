"""What each step of a plan does, in words."""

from __future__ import annotations

from padron.country import Country
from padron.model import Text


def identifier() -> Text:
    """The number in the text."""
    return Text("El número del texto como identificador oficial", "The number in the text as an official identifier")


def exact() -> Text:
    """The whole text as a name."""
    return Text(
        "El texto entero como nombre legal, comercial o anterior", "The whole text as a legal, trade or former name"
    )


def name(text: str, country: Country | None) -> Text:
    """A name as it was read."""
    where = Text(f" en {country.name.es}", f" in {country.name.en}") if country else Text("", "")
    return Text(f"El nombre «{text}»{where.es}, también con erratas", f"The name “{text}”{where.en}, typos allowed for")


def elsewhere(text: str, country: Country) -> Text:
    """A name outside the country that was asked."""
    return Text(f"El nombre «{text}» fuera de {country.name.es}", f"The name “{text}” outside {country.name.en}")


def repair() -> Text:
    """Numbers one slip away."""
    return Text(
        "Números a un dígito de distancia con dígito verificador correcto",
        "Numbers one digit away whose check digit fits",
    )


def listing() -> Text:
    """Companies by what they are."""
    return Text("Empresas por actividad, lugar y estado", "Companies by activity, place and state")
