"""Synthetic files in the official format of Receita Federal's CNPJ data, at any size, with the expected result.

    <to>/br/receita-federal/Empresas0.zip … Estabelecimentos0.zip … Simples.zip, the domain tables, PROVENANCE.json
    <to>/expected.json      number of rows, of companies, and of rows left out or rejected by reason

Member names, columns, quoting, encoding and codes are the official ones (layout:
https://www.gov.br/receitafederal/dados/cnpj-metadados.pdf); the domain tables are those that come with the project.
Companies and persons are invented: no number in a name passes the check of a CPF. The files have the irregularities of
the official ones: most rows are individuals, the parts of two files do not correspond, rows do not join, and single
rows have NUL bytes, line feeds and semicolons inside quotes, bytes that no encoding defines, absurd dates, unknown
codes, a head office of another order than 0001. A company is a pure function of seed and number: nothing is kept in
memory, the same seed gives the same bytes, and `truth` yields the expected companies without reading a file.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from padron.countries.br.identifiers import check_digits
from padron.countries.br.sources import RECEITA_FEDERAL
from padron.errors import Invalid, SourceError
from padron.ingest import corpus_names
from padron.ingest.corpus_names import LETTERS, Draw

_DOMAINS = Path(__file__).resolve().parents[3] / "data" / "official" / "br" / "receita-federal"
_DOMAIN_ZIPS = {
    "CNAE": "Cnaes",
    "MOTI": "Motivos",
    "MUNIC": "Municipios",
    "NATJU": "Naturezas",
    "PAIS": "Paises",
    "QUALS": "Qualificacoes",
}
_PARTS = 10
"""Zips that Empresas and Estabelecimentos are each split into."""
_MOST_ROWS = 10**8
_NOT_STATED = "999999999999,00"
_TOKEN, _PUBLISHED = "D51213", "2025-12-13"
_STAMP = (2025, 12, 13, 0, 0, 0)

_LEGAL_FORMS = (
    *[("2062", " LTDA")] * 24,
    *[("2062", " LTDA."), ("2062", " LIMITADA"), ("2062", " LTDA ME"), ("2240", " S/S LTDA"), ("2305", " EIRELI")],
    *[("2054", " S.A."), ("2054", " SA"), ("2046", " S/A"), ("3999", ""), ("2143", " COOPERATIVA LTDA")],
)
_SITUATIONS = ("08",) * 460 + ("02",) * 424 + ("04",) * 110 + ("03",) * 3 + ("01", "05", "05")
_STATUS = {
    "01": "annulled",
    "02": "active",
    "03": "suspended",
    "04": "inactive",
    "05": "active",
    "08": "dissolved",
}
_STATES = "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split()
_NO_DATES = ("", "0", "00000000", "02020315", "41000101")
_SPECIAL = ("RECUPERACAO JUDICIAL", "EM LIQUIDACAO", "FALIDO")
_PERSON, _FARMER, _LAWYER = "2135", "4120", "2321"


class Kept(NamedTuple):
    """The expected company; dates are ISO."""

    identifier: str
    legal_name: str
    trade_name: str | None
    status: str
    activity_code: str | None
    region: str | None
    municipality: str | None
    incorporated: str | None
    ended: str | None
    establishments: int


class _Company(NamedTuple):
    """A generated company. `outcome` is why the build leaves it out (None: it is kept), `tail` the end of its name."""

    number: int
    root: str
    form: str
    tail: str
    mei: bool
    branches: int
    outcome: str | None

    @property
    def has_head(self) -> bool:
        return self.outcome not in {"no-head-office", "no-establishment"}

    @property
    def row(self) -> str:
        """Fate of its rows, as expected.json names it."""
        return f"left_out {self.outcome}" if self.outcome else "kept or merged"


def _company(seed: int, number: int) -> _Company:
    """Return the company of this number, without its name."""
    draw = Draw(seed, number)
    outcome, form, tail, mei = _outcome(draw)
    root = f"{(number * 61_803_399 + seed * 7_919) % 10**8:08d}"
    if draw.one_in(50):
        root = "".join(LETTERS[int(char) * 7 % 26] if place in {0, 2, 5} else char for place, char in enumerate(root))
    branches = draw.below(draw.below(9) + 1) if draw.one_in(12) and form != _PERSON else 0
    return _Company(number, root, form, tail, mei, max(branches, int(outcome == "no-head-office")), outcome)


def _outcome(draw: Draw) -> tuple[str | None, str, str, bool]:
    """Return the outcome of a company (None: kept), its legal form, the end of its name, and whether it is a MEI."""
    share = draw.below(10_000)
    if share < 6_900:  # 69 % of 2,000 companies taken at random were individuals
        return "natural-person", _PERSON, "", draw.below(5) < 3
    form, tail = draw.pick(_LEGAL_FORMS)
    for limit, person in ((6_930, _FARMER), (6_950, _LAWYER), (6_960, form)):
        if share < limit:
            return "natural-person", person, tail, person == form
    for limit, outcome in ((6_970, "no-establishment"), (6_980, "no-company-row"), (6_986, "no-head-office")):
        if share < limit:
            return outcome, form, tail, False
    return ("no-name" if share < 6_989 else None), form, tail, False


def _legal_name(seed: int, company: _Company) -> tuple[str, str]:
    """Return the legal name in the file, and the expected one."""
    draw = Draw(seed, company.number, "name")
    if company.form in {_PERSON, _FARMER}:
        name = corpus_names.person(draw, company.root)
        return name, name
    if company.outcome == "no-name":
        return "", ""
    core = corpus_names.company(draw)
    trap = draw.below(200)
    if trap == 0 and company.tail:
        return f"{core} {corpus_names.no_cpf(draw)}{company.tail}", core + company.tail
    if trap < 4:
        return f"{core} {company.tail}", core + company.tail
    if trap == 4:
        core = f"{company.root[:2]}.{company.root[2:5]}.{company.root[5:]} {core}"
    return core + company.tail, core + company.tail


def _trade_name(draw: Draw) -> tuple[str, str | None]:
    """Return the trade name in the file (one character per byte), and the expected one; 64 % have none."""
    if draw.below(100) < 64:
        return "", None
    name, trap = corpus_names.company(draw), draw.below(60)
    first, _, rest = name.partition(" ")
    written = {
        0: (f"{name}; FILIAL", f"{name}; FILIAL"),
        1: (f"{first}\n{rest}", name),
        2: (f"{first}\0 {rest}", name),
        3: (f"\x93{name}\x94", f"\u201c{name}\u201d"),
        4: (f"{first} \x96 {rest}", f"{first} \u2013 {rest}"),
        5: (f"{first}\x8f {rest}", name),
        6: (f"CAF\xc9 {name}", f"CAF\u00c9 {name}"),
        7: (f"{name} {corpus_names.no_cpf(draw)}", name),
    }
    return written.get(trap, (name, name))


@cache
def _domain(name: str) -> dict[str, str]:
    """Return code -> description of an official domain table."""
    lines = (_DOMAINS / f"{name}CSV.csv").read_text(encoding="cp1252").splitlines()
    return {code.strip('"'): " ".join(label.strip('"').split()) for code, _, label in (x.partition(";") for x in lines)}


@cache
def _codes(name: str) -> tuple[str, ...]:
    return tuple(_domain(name))


def _orders(company: _Company) -> list[str]:
    """Return the orders that have a row, the head office first: 0001, in one company of 500 0002.

    Every thirtieth branch has letters in its order, as registered since July 2026.
    """
    if company.outcome == "no-establishment":
        return []
    head = 2 if company.number % 500 == 7 else 1
    rest = [place for place in range(1, company.branches + 2) if place != head][: company.branches]
    orders = [f"E{place:02d}G" if (company.number + place) % 30 == 0 else f"{place:04d}" for place in rest]
    return [f"{head:04d}", *orders] if company.has_head else orders


def _establishment(seed: int, company: _Company, order: str) -> tuple[tuple[str, ...], Kept]:
    """Return the row of an establishment, and the expected company if it is the head office of a kept one."""
    draw = Draw(seed, company.number, order)
    base = company.root + order
    cnpj = base + check_digits(base)
    written, trade_name = _trade_name(draw)
    situation = draw.pick(_SITUATIONS)
    special = draw.pick(_SPECIAL) if draw.one_in(200) else ""
    since = draw.pick(_NO_DATES) if draw.one_in(100) else _day(draw, 2001)
    begun = draw.pick(_NO_DATES) if draw.one_in(300) else _day(draw, 1967)
    activity = draw.pick(("8888888", "9999999")) if draw.one_in(150) else draw.pick(_codes("CNAE"))
    city = "9999" if draw.one_in(300) else draw.common(_codes("MUNIC"))
    abroad = draw.one_in(400)
    state = "EX" if abroad else _STATES[int(city) % len(_STATES)]
    row = (
        *(company.root, order, cnpj[12:], "1" if order == _orders(company)[0] and company.has_head else "2", written),
        *(situation, since, "32" if draw.one_in(300) else draw.pick(_codes("MOTI"))),
        *(("LISBOA", draw.pick(("607", "150", "008"))) if abroad else ("", "")),
        *(begun, activity, ",".join(draw.pick(_codes("CNAE")) for _ in range(draw.below(4)))),
        *("RUA", draw.pick(("DAS ACACIAS", "15 DE NOVEMBRO; FUNDOS", "DO SOL\x8f")), str(draw.below(3_000))),
        *("SALA 2\nBLOCO B" if draw.one_in(200) else "", "CENTRO\0" if draw.one_in(200) else "CENTRO"),
        *(f"{draw.below(10**8):08d}".lstrip("0"), state, "9707" if abroad else city),
        *("11", f"{draw.below(10**8):08d}", "", "", "", "", "CONTATO@EXEMPLO.INVALID" if draw.one_in(2) else ""),
        *(special, since if special else ""),
    )
    kept = Kept(
        identifier=cnpj,
        legal_name="",
        trade_name=trade_name,
        status="in_liquidation" if situation == "02" and special in _SPECIAL[1:] else _STATUS[situation],
        activity_code=activity if activity != "8888888" and activity in _domain("CNAE") else None,
        region=None if abroad else state,
        municipality="LISBOA" if abroad else _domain("MUNIC").get(city),
        incorporated=_iso(begun),
        ended=_iso(since) if situation == "08" else None,
        establishments=1 + company.branches,
    )
    return row, kept


def _day(draw: Draw, first: int) -> str:
    """Return a day from the year `first` to 2024, as `YYYYMMDD`."""
    return f"{first + draw.below(2025 - first)}{1 + draw.below(12):02d}{1 + draw.below(28):02d}"


def _iso(day: str) -> str | None:
    return None if day in _NO_DATES else f"{day[:4]}-{day[4:6]}-{day[6:]}"


def _number_of_companies(rows: int, seed: int) -> int:
    """Return the number of companies that have `rows` establishments together."""
    number = 0
    while rows > 0:
        rows -= len(_orders(_company(seed, number)))
        number += 1
    return number


def truth(rows: int, seed: int) -> Iterator[Kept]:
    """Yield every company that a build of `corpus(rows, …, seed)` must keep, with its exact values."""
    for number in range(_number_of_companies(rows, seed)):
        company = _company(seed, number)
        if company.outcome is None:
            _, kept = _establishment(seed, company, _orders(company)[0])
            yield kept._replace(legal_name=_legal_name(seed, company)[1])


def corpus(rows: int, to: Path, seed: int) -> None:
    """Write the files.

    Args:
        rows: Minimum number of establishments; the last company may add some.
        seed: The same seed gives the same bytes.

    Raises:
        Invalid: `invalid-rows`, unless `rows` is between 1 and 100 million.
        SourceError: `file-missing`, when the domain tables of the project are missing.
    """
    if not 0 < rows <= _MOST_ROWS:
        raise Invalid("invalid-rows", parameter="rows", value=rows, most=_MOST_ROWS)
    for domain in _DOMAIN_ZIPS:
        if not (_DOMAINS / f"{domain}CSV.csv").is_file():
            file = str(_DOMAINS / f"{domain}CSV.csv")
            raise SourceError("file-missing", source=RECEITA_FEDERAL.key, file=file, page=RECEITA_FEDERAL.url)
    folder = to / "br" / "receita-federal"
    folder.mkdir(parents=True, exist_ok=True)
    total, counts = _number_of_companies(rows, seed), Counter[str]()
    for part in range(_PARTS):
        numbers = (part * total // _PARTS, (part + 1) * total // _PARTS)
        companies = (_company(seed, number) for number in _scattered(total, 5, *numbers))
        member = f"K3241.K03200Y{part}.{_TOKEN}.EMPRECSV"
        _write(folder / f"Empresas{part}.zip", member, _company_rows(seed, companies, counts))
        companies = (_company(seed, number) for number in _scattered(total, 7, *numbers))
        member = f"K3241.K03200Y{part}.{_TOKEN}.ESTABELE"
        _write(folder / f"Estabelecimentos{part}.zip", member, _establishment_rows(seed, companies, counts))
    companies = (_company(seed, number) for number in range(total))
    _write(folder / "Simples.zip", f"F.K03200$W.SIMPLES.CSV.{_TOKEN}", _simples_rows(seed, companies))
    for domain, name in _DOMAIN_ZIPS.items():
        table = (_DOMAINS / f"{domain}CSV.csv").read_bytes()
        _write(folder / f"{name}.zip", f"F.K03200$Z.{_TOKEN}.{domain}CSV", iter((table,)))
    _write_provenance(folder)
    (to / "expected.json").write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n", encoding="utf-8")


def _scattered(total: int, step: int, first: int, end: int) -> Iterator[int]:
    """Return places `first` to `end` of a permutation of the numbers below `total`: parts of two files differ."""
    step = total * step // 11 + 1
    while math.gcd(step, total) != 1:
        step += 1
    return (place * step % total for place in range(first, end))


def _line(fields: Sequence[str]) -> bytes:
    """Return a record as Receita Federal writes it: every field in quotes, one byte per character."""
    return ('"' + '";"'.join(fields) + '"\n').encode("latin-1")


def _company_rows(seed: int, companies: Iterator[_Company], counts: Counter[str]) -> Iterator[bytes]:
    """Yield the rows of Empresas: 7 columns."""
    for company in companies:
        if company.outcome == "no-company-row":
            continue
        draw = Draw(seed, company.number, "empresa")
        capital = _NOT_STATED if draw.one_in(500) else f"{draw.below(100) * 10 ** draw.below(7)},00"
        form = "2999" if company.outcome is None and draw.one_in(400) else company.form
        officer = "36" if draw.one_in(400) else draw.pick(_codes("QUALS"))
        counts["companies"] += company.outcome is None
        counts["rejected no-name" if company.outcome == "no-name" else company.row] += 1
        size = draw.pick(("00", "01", "01", "01", "03", "05", ""))
        yield _line((company.root, _legal_name(seed, company)[0], form, officer, capital, size, ""))


def _establishment_rows(seed: int, companies: Iterator[_Company], counts: Counter[str]) -> Iterator[bytes]:
    """Yield the rows of Estabelecimentos: 30 columns."""
    for company in companies:
        for order in _orders(company):
            counts[company.row] += 1
            yield _line(_establishment(seed, company, order)[0])


def _simples_rows(seed: int, companies: Iterator[_Company]) -> Iterator[bytes]:
    """Yield the rows of Simples: 7 columns, for every MEI and half of the others."""
    for company in companies:
        draw = Draw(seed, company.number, "simples")
        if company.mei or draw.one_in(2):
            since = _day(draw, 2009)
            mei = ("S", since) if company.mei else (draw.pick(("N", "")), "00000000")
            yield _line((company.root, draw.pick(("S", "N", "")), since, "00000000", *mei, "00000000"))


def _write(path: Path, member: str, lines: Iterator[bytes]) -> None:
    """Write a zip of one member, always with the same date."""
    info = zipfile.ZipInfo(member, _STAMP)
    info.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as archive, archive.open(info, "w", force_zip64=True) as out:
        for line in lines:
            out.write(line)


def _write_provenance(folder: Path) -> None:
    """Write the provenance records, with the date in the names of the members."""
    records = []
    for path in sorted(folder.glob("*.zip")):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
        records.append({"file": path.name, "published": _PUBLISHED, "sha256": digest, "bytes": size, "synthetic": True})
    document = {"source": "receita-federal", "files": records}
    (folder / "PROVENANCE.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
