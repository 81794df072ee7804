"""What an answer comes to, in a sentence that can be quoted, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from padron.country import Country, Scheme
from padron.model import Text
from padron.text import enumerated

UNCOVERED: Final[Mapping[str, Text]] = {
    "BO": Text("Bolivia", "Bolivia"),
    "CA": Text("Canadá", "Canada"),
    "CL": Text("Chile", "Chile"),
    "CN": Text("China", "China"),
    "CR": Text("Costa Rica", "Costa Rica"),
    "DE": Text("Alemania", "Germany"),
    "ES": Text("España", "Spain"),
    "FR": Text("Francia", "France"),
    "GB": Text("el Reino Unido", "the United Kingdom"),
    "GT": Text("Guatemala", "Guatemala"),
    "IT": Text("Italia", "Italy"),
    "JP": Text("Japón", "Japan"),
    "PA": Text("Panamá", "Panama"),
    "PE": Text("el Perú", "Peru"),
    "PT": Text("Portugal", "Portugal"),
    "PY": Text("el Paraguay", "Paraguay"),
    "UY": Text("el Uruguay", "Uruguay"),
    "VE": Text("Venezuela", "Venezuela"),
}
"""Countries that questions name and no register here covers."""

STATUSES: Final[Mapping[str, Text]] = {
    "active": Text("activa", "active"),
    "inactive": Text("inactiva", "inactive"),
    "suspended": Text("suspendida", "suspended"),
    "in_liquidation": Text("en liquidación", "in liquidation"),
    "dissolved": Text("disuelta", "dissolved"),
    "annulled": Text("anulada", "annulled"),
    "unknown": Text("en un estado que no sabemos traducir", "in a state that we cannot map"),
}
"""The states of a company, as they stand in a sentence."""

_SHOWN: Final = 3
_LONGEST: Final = 80


class Named(NamedTuple):
    """A company as a sentence names it. `number` is written as is customary; `listed` and `financials` are facts."""

    name: str
    country: Country
    scheme: Scheme
    number: str
    status: str | None
    listed: bool
    financials: bool
    confidence: float


def quoted(text: str) -> Text:
    """What was asked, in quotation marks, cut where it is long."""
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
    return Text(f"«{text}»", f"“{text}”")


def by_number(one: Named, asked: str) -> Text:
    """The company of a number: its own, or one that leads to it."""
    label, where = one.scheme.short_label, one.country.name
    given, own = _signs(asked), _signs(one.number)
    if own == given or own.lstrip("0") == given or own[:-1] == given:
        return Text(
            f"El {label.es} {one.number} es de {one.name} ({where.es}).",
            f"{label.en} {one.number} is that of {one.name} ({where.en}).",
        )
    return Text(
        f"El número {asked} lleva a {one.name} ({where.es}), cuyo {label.es} es {one.number}.",
        f"The number {asked} leads to {one.name} ({where.en}), whose {label.en} is {one.number}.",
    )


def number_of(one: Named, scheme: Scheme, number: str) -> Text:
    """The number that was asked of a company."""
    label, where = scheme.short_label, one.country.name
    return Text(
        f"El {label.es} de {one.name} ({where.es}) es {number}.",
        f"The {label.en} of {one.name} ({where.en}) is {number}.",
    )


def other_number(one: Named, scheme: Scheme) -> Text:
    """A number was asked that is not known; the company's own one is."""
    asked, own, where = scheme.short_label, one.scheme.short_label, one.country.name
    return Text(
        f"De {one.name} ({where.es}) no consta el {asked.es}; su {own.es} es {one.number}.",
        f"No {asked.en} of {one.name} ({where.en}) is known; its {own.en} is {one.number}.",
    )


def registered(one: Named) -> Text:
    """The company, and where it is registered."""
    return Text(
        f"{one.name} consta en {one.country.name_in_sentence.es} con {one.scheme.short_label.es} {one.number}.",
        f"{one.name} is on record in {one.country.name_in_sentence.en} under {one.scheme.short_label.en} {one.number}.",
    )


def former(text: str, one: Named) -> Text:
    """The name asked for is a former one."""
    asked = quoted(text)
    return Text(
        _ended(f"{asked.es} es un nombre anterior de {one.name}"), _ended(f"{asked.en} is a former name of {one.name}")
    )


def status_of(one: Named) -> Text:
    """The state the register publishes, or that it publishes none."""
    if one.status is None:
        return Text("Su registro no publica si está activa.", "Its register does not publish whether it is active.")
    word = STATUSES[one.status]
    return Text(f"Según su registro está {word.es}.", f"According to its register it is {word.en}.")


def listed_or_not(one: Named) -> Text:
    """Whether the public can buy its securities."""
    if one.listed:
        return Text(
            "Consta como emisora de valores de oferta pública.", "It is on record as an issuer of public securities."
        )
    return Text(
        "No consta que emita valores de oferta pública.", "It is not on record as an issuer of public securities."
    )


def financials_or_not(one: Named) -> Text:
    """Whether yearly statements are held."""
    if one.financials:
        return Text("Sus estados financieros están disponibles.", "Its financial statements are available.")
    return Text("No hay estados financieros disponibles.", "No financial statements are available.")


def issuers(listed: bool) -> Text:
    """Companies of which the public can buy securities, or not."""
    if listed:
        return Text("emisoras de valores de oferta pública", "issuers of public securities")
    return Text("sin valores de oferta pública", "without public securities")


def with_statements(held: bool) -> Text:
    """Companies whose yearly statements are held, or not."""
    if held:
        return Text("con estados financieros", "with financial statements")
    return Text("sin estados financieros", "without financial statements")


def sure(one: Named) -> Text:
    """How sure that is."""
    percent = f"{int(one.confidence * 1000) / 10:g}"
    return Text(f"Confianza: {percent.replace('.', ',')} %.", f"Confidence: {percent}%.")


def ambiguous(text: str, some: Sequence[Named]) -> Text:
    """Several companies fit equally well, and what would tell them apart."""
    asked, these = quoted(text), listed(some)
    if len({one.country.code for one in some}) > 1:
        return Text(
            f"{len(some)} empresas responden por igual a {asked.es}: {these.es}. Indique el país.",
            f"{len(some)} companies answer to {asked.en} equally well: {these.en}. Name the country.",
        )
    return Text(
        f"{len(some)} empresas responden por igual a {asked.es}: {these.es}. Indique el identificador.",
        f"{len(some)} companies answer to {asked.en} equally well: {these.en}. Give the identifier.",
    )


def possible(text: str, one: Named) -> Text:
    """The nearest company, which is not sure."""
    asked = quoted(text)
    doubt = sure(one)
    return Text(
        f"No es seguro: lo más parecido a {asked.es} es {line(one).es}. {doubt.es}",
        f"Not certain: the nearest to {asked.en} is {line(one).en}. {doubt.en}",
    )


def elsewhere(text: str, country: Country, date: str | None, one: Named) -> Text:
    """Not in the country that was asked, but something like it in another."""
    asked, fresh, where = quoted(text), _fresh(date), country.name_in_sentence
    return Text(
        f"{asked.es} no consta en {where.es}{fresh.es}; lo más parecido en otro país es {line(one).es}.",
        f"{asked.en} is not on record in {where.en}{fresh.en}; the nearest elsewhere is {line(one).en}.",
    )


def uncovered(code: str) -> Text:
    """The country that was asked is not covered."""
    name = UNCOVERED[code]
    return Text(f"Padrón no cubre {name.es}.", f"Padrón does not cover {name.en}.")


def nothing(text: str, places: Sequence[tuple[Country, str | None]]) -> Text:
    """Not in the registers of some countries."""
    asked = quoted(text)
    if len(places) == 1:
        country, date = places[0]
        fresh = _fresh(date)
        return Text(
            f"{asked.es} no consta en los registros de {country.name_in_sentence.es}{fresh.es}.",
            f"{asked.en} is not in the registers of {country.name_in_sentence.en}{fresh.en}.",
        )
    names = Text(
        enumerated([country.name_in_sentence.es for country, _ in places], "ni"),
        enumerated([country.name_in_sentence.en for country, _ in places], "or"),
    )
    return Text(
        f"{asked.es} no consta en los registros de {names.es}.", f"{asked.en} is not in the registers of {names.en}."
    )


def no_words() -> Text:
    """There is neither a letter nor a digit."""
    return Text(
        "El texto no contiene letras ni números: no hay nada que buscar.",
        "The text holds neither letters nor digits: there is nothing to look for.",
    )


def malformed(text: str, scheme: Scheme | None) -> Text:
    """A number that has the form of none."""
    asked = quoted(text)
    if scheme is None:
        return Text(
            f"{asked.es} no tiene la forma de ningún identificador de los países cubiertos.",
            f"{asked.en} does not have the form of any identifier of the countries covered.",
        )
    return Text(
        f"{asked.es} no tiene la forma de un {scheme.short_label.es}.",
        f"{asked.en} does not have the form of a {scheme.short_label.en}.",
    )


def wrong_digit(number: str, scheme: Scheme, mended: Sequence[Named]) -> Text:
    """A number whose check digit is wrong, and the companies one slip away."""
    found = Text(
        f"El {scheme.short_label.es} {number} no puede ser correcto: su dígito verificador no corresponde.",
        f"{scheme.short_label.en} {number} cannot be right: its check digit does not fit.",
    )
    if not mended:
        return found
    these = listed(mended)
    return Text(f"{found.es} A un dígito de distancia: {these.es}.", f"{found.en} One digit away: {these.en}.")


def several(found: Sequence[Named], missing: Sequence[str], left: int) -> Text:
    """How many of several companies were found."""
    count = len(found) + len(missing)
    verb = Text("Se encontró", "was") if len(found) == 1 else Text("Se encontraron", "were")
    es, en = [f"{verb.es} {len(found)} de {count} empresas"], [f"{len(found)} of {count} companies {verb.en} found"]
    if found:
        these = listed(found, len(found))
        es[0] += f": {these.es}"
        en[0] += f": {these.en}"
    if missing:
        names = [quoted(text) for text in missing]
        es.append(f"Sin certeza: {enumerated([name.es for name in names], 'y')}")
        en.append(f"Not certain: {enumerated([name.en for name in names], 'and')}")
    if left:
        es.append(f"Otras {left} no se buscaron: pregunte por menos a la vez")
        en.append(f"{left} more were not looked for: ask for fewer at a time")
    return Text(". ".join(es) + ".", ". ".join(en) + ".")


def listing(total: int, what: Text, largest: Sequence[Named]) -> Text:
    """How many companies a list has, of what, and the first ones."""
    if not total:
        return Text(f"Ninguna empresa consta así: {what.es}.", f"No company is on record as: {what.en}.")
    es = "1 empresa" if total == 1 else f"{_thousands(total, '.')} empresas"
    en = "1 company" if total == 1 else f"{_thousands(total, ',')} companies"
    names = [one.name for one in largest[:_SHOWN]]
    if total == 1:
        return Text(_ended(f"{es}: {what.es}. Es {names[0]}"), _ended(f"{en}: {what.en}. It is {names[0]}"))
    return Text(
        _ended(f"{es}: {what.es}. Las primeras: {enumerated(names, 'y')}"),
        _ended(f"{en}: {what.en}. The first: {enumerated(names, 'and')}"),
    )


def no_code(country: Country) -> Text:
    """A country's registers do not tell companies of an activity from others."""
    return Text(
        f"Los registros de {country.name_in_sentence.es} no distinguen esa actividad.",
        f"The registers of {country.name_in_sentence.en} do not tell that activity.",
    )


def described() -> Text:
    """Why a company is in a list."""
    return Text(
        "Responde a la descripción: actividad, lugar y estado.",
        "It answers the description: activity, place and state.",
    )


def line(one: Named) -> Text:
    """A company, its country and its number."""
    label, where = one.scheme.short_label, one.country.name
    return Text(
        f"{one.name} ({where.es}, {label.es} {one.number})", f"{one.name} ({where.en}, {label.en} {one.number})"
    )


def listed(some: Sequence[Named], most: int = _SHOWN) -> Text:
    """Companies one after the other, the others counted."""
    lines = [line(one) for one in some[:most]]
    es, en = [text.es for text in lines], [text.en for text in lines]
    if len(some) > most:
        es.append(f"{len(some) - most} más")
        en.append(f"{len(some) - most} more")
    return Text(enumerated(es, "y"), enumerated(en, "and"))


def joined(texts: Sequence[Text]) -> Text:
    """Sentences one after the other."""
    return Text(" ".join(text.es for text in texts), " ".join(text.en for text in texts))


def _signs(number: str) -> str:
    return "".join(filter(str.isalnum, number)).upper()


def _ended(sentence: str) -> str:
    """A sentence with its full stop, which may be the one of `S.A.` too."""
    return sentence if sentence.endswith(".") else f"{sentence}."


def _fresh(date: str | None) -> Text:
    return Text(f" (datos al {date})", f" (data as of {date})") if date else Text("", "")


def _thousands(number: int, separator: str) -> str:
    return f"{number:,}".replace(",", separator)
