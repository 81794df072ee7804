"""What is said beside the results, in both languages: short tips that a person or an agent can act on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from padron.country import Country, Scheme
from padron.model import Text


def no_words() -> Text:
    """The text holds neither a letter nor a digit."""
    return Text(
        "La búsqueda no contiene letras ni números.",
        "The query holds neither letters nor digits.",
    )


def pass_country(codes: Iterable[str]) -> Text:
    """Results come from several countries."""
    listed = ", ".join(codes)
    return Text(
        f"Hay resultados de varios países ({listed}); indique el país (country) si lo conoce.",
        f"Results come from several countries ({listed}); pass the country if you know it.",
    )


def ambiguous(count: int) -> Text:
    """Several companies fit equally well."""
    return Text(
        f"{count} empresas coinciden por igual; añada su forma jurídica, país o identificador.",
        f"{count} companies fit equally well; add the legal form, the country or the identifier.",
    )


def uncertain() -> Text:
    """Something was found, nothing to be sure of."""
    return Text(
        "Ningún resultado es seguro: son los nombres más parecidos.",
        "No result is certain: these are the nearest names.",
    )


def wrong_country(name: str, country: Country) -> Text:
    """The company asked for is in the register of another country than the one asked for."""
    return Text(
        f"«{name}» está en el registro de {country.name.es}: búsquela allí (country={country.code}).",
        f"“{name}” is in the register of {country.name.en}: search there (country={country.code}).",
    )


def nothing(codes: Iterable[str], dates: Mapping[str, str | None]) -> Text:
    """Nothing was found; where we looked and how fresh that is."""
    listed = ", ".join(f"{code} ({dates[code]})" if dates.get(code) else code for code in codes)
    return Text(
        f"Nada parecido en los registros de {listed}.",
        f"Nothing like it in the registers of {listed}.",
    )


def wrong_check_digit(scheme: Scheme, right: str | None) -> Text:
    """The number's check digit does not fit; `right` is the number with the one that does."""
    if right is None:
        return Text(
            f"El dígito verificador de ese {scheme.label.es} no corresponde: revise el número.",
            f"The check digit of that {scheme.label.en} does not fit: check the number.",
        )
    shown = scheme.show(right)
    return Text(
        f"El dígito verificador de ese {scheme.label.es} no corresponde; con el correcto sería {shown}.",
        f"The check digit of that {scheme.label.en} does not fit; with the right one it would be {shown}.",
    )


def repaired(scheme: Scheme, value: str, name: str) -> Text:
    """One company has a number that differs in one digit."""
    shown = scheme.show(value)
    return Text(
        f"Con un solo dígito distinto existe {scheme.label.es} {shown}: «{name}».",
        f"With one other digit there is {scheme.label.en} {shown}: “{name}”.",
    )


def did_you_mean(name: str) -> Text:
    """The nearest name is spelt almost like the one asked for."""
    return Text(f"¿Quiso decir «{name}»?", f"Did you mean “{name}”?")


def too_generic(words: Iterable[str], count: int) -> Text:
    """Very many companies have the words that were asked."""
    listed = " ".join(words)
    return Text(
        f"«{listed}» está en el nombre de {count} empresas o más: añada otra palabra o el identificador.",
        f"“{listed}” is in the name of {count} companies or more: add another word or the identifier.",
    )


def also_identifies(country: Country, scheme: Scheme, name: str) -> Text:
    """The bare number is also a lesser identifier of another company."""
    return Text(
        f"El número es también {scheme.label.es} de {name}: pase country={country.code} para buscarla.",
        f"The number is also the {scheme.label.en} of {name}: pass country={country.code} to find it.",
    )


def shared_number(count: int) -> Text:
    """Several companies have the number."""
    return Text(
        f"{count} empresas tienen ese número; indique country o el tipo de identificador.",
        f"{count} companies have that number; pass country or name the kind of identifier.",
    )


def branch(country: Country, scheme: Scheme, value: str) -> Text:
    """The number is a branch's, the company is that of the head office."""
    shown = scheme.show(value)
    return Text(
        f"{scheme.label.es} {shown} es de una sucursal o raíz en {country.name.es}; se muestra la casa matriz.",
        f"{scheme.label.en} {shown} is a branch's or a root in {country.name.en}; the head office is shown.",
    )


def name_disagrees() -> Text:
    """The words around a number are another name than that of the company with the number."""
    return Text(
        "El número y el nombre no son de la misma empresa: revise ambos.",
        "The number and the name are not the same company's: check both.",
    )


def linked(country: Country, scheme: Scheme, shown: str) -> Text:
    """The company is in another register too."""
    return Text(
        f"La misma empresa figura también en {country.name.es}: {scheme.label.es} {shown}.",
        f"The same company is also registered in {country.name.en}: {scheme.label.en} {shown}.",
    )


def called_now(name: str) -> Text:
    """The name asked for is a former one."""
    return Text(
        f"El nombre buscado es anterior; ahora se llama «{name}».", f"That is a former name; it is now “{name}”."
    )


def other_form(name: str) -> Text:
    """The best match has another legal form than the one asked for."""
    return Text(
        f"«{name}» tiene otra forma jurídica que la buscada.",
        f"“{name}” has another legal form than the one asked for.",
    )


def not_in(country: Country, scheme: Scheme, value: str, date: str | None) -> Text:
    """No company of the country has the number."""
    number = scheme.show(value)
    fresh = Text(f" (datos al {date})", f" (data as of {date})") if date else Text("", "")
    return Text(
        f"Ninguna empresa de {country.name.es} tiene el {scheme.label.es} {number}{fresh.es}.",
        f"No company of {country.name.en} has the {scheme.label.en} {number}{fresh.en}.",
    )


def exists_elsewhere(codes: Iterable[str]) -> Text:
    """The number is a company's in other countries."""
    listed = ", ".join(codes)
    return Text(f"Ese número sí existe en: {listed}.", f"That number does exist in: {listed}.")
