"""Write the generated parts of the documents: the bundled release, licences, fields of a company.

    make docs

or `.venv/bin/python docs/generate.py [DATA]`, where DATA is the data folder with the built release (default: var). A
part stands between `<!-- generated: NAME -->` and `<!-- end -->`; `tests/project/test_docs.py`
fails when one is out of date.
Also what the page on confidence shows of the last kept evaluation: `src/padron/web/reliability.json`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from padron.companies.fields import COMPOSED, FIELDS, ComposedField, Field
from padron.companies.model import camel
from padron.countries import REGISTRY
from padron.countries.country import Source
from padron.matching.features import JOINTS, TABLE
from padron.matching.score import CALIBRATION
from padron.releases import snapshot
from padron.words import Language, Text

ROOT = Path(__file__).resolve().parents[1]
SHOWN_FILES = 3
RELIABILITY = ROOT / "src" / "padron" / "web" / "reliability.json"

_PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_HEAD = Text(
    "| país | empresas | fuente oficial | registros | archivos y su fecha |",
    "| country | companies | official source | records | files and their date |",
)
_TOTAL = Text("**en total**", "**in all**")
_FIELDS_HEAD = Text(
    "| miembro | desde | contenido | ejemplo | columna |",
    "| member | from | holds | example | column |",
)
_SERVED = {
    "teaser": Text("búsqueda pública", "public search"),
    "record": Text("ficha pública", "public lookup"),
    "v1": Text("v1", "v1"),
}
_AND_MORE = Text("y {count} más", "and {count} more")


def coverage(data: Path, language: Language) -> str:
    """One row per source: companies of the country, records the source contributed to, its files and their dates."""
    release = snapshot.read_release(data, snapshot.current(data))
    rows = [_HEAD.of(language), "| --- | ---: | --- | ---: | --- |"]
    total = 0
    for code, country in REGISTRY.items():
        manifest = snapshot.manifest(data, release.snapshots[code])
        total += manifest["companies"]
        label = (country.name.of(language), _number(manifest["companies"], language))
        for source in country.sources:
            files = [file for file in manifest["files"].values() if file["source"] == source.key]
            if files:
                records = _number(manifest["sources"][source.key]["records"], language)
                rows.append("| " + " | ".join((*label, source.name, records, _files(files, language))) + " |")
                label = ("", "")
    rows.append(f"| {_TOTAL.of(language)} | **{_number(total, language)}** | | | |")
    return "\n".join(rows) + "\n"


def bundle(data: Path, language: Language) -> str:
    """Return one line a country: its companies, and the sources that the bundled files are of."""
    release = snapshot.read_release(data, snapshot.current(data))
    lines = []
    for code, country in REGISTRY.items():
        manifest = snapshot.manifest(data, release.snapshots[code])
        keys = {file["source"] for file in manifest["files"].values()}
        names = ", ".join(source.name for source in country.sources if source.key in keys)
        lines.append(f"- **{country.name.of(language)}** {_number(manifest['companies'], language)}: {names}")
    return "\n".join(lines) + "\n"


def _files(files: list[dict[str, str]], language: Language) -> str:
    """Names with dates, the newest first; of many files some."""
    newest = sorted(files, key=lambda file: (file["published"], file["file"]), reverse=True)
    shown = [f"`{file['file']}` ({file['published']})" for file in newest[:SHOWN_FILES]]
    if len(files) > SHOWN_FILES:
        shown.append(_AND_MORE.of(language).format(count=len(files) - SHOWN_FILES))
    return ", ".join(shown)


def _number(value: int, language: Language) -> str:
    return f"{value:,}" if language == "en" else f"{value:,}".replace(",", ".")


def licences() -> str:
    """Every source of every country with publisher, licence and the attribution it asks for."""
    return "\n".join(line for code in REGISTRY for line in _licences_of(code))


def _licences_of(code: str) -> Iterator[str]:
    country = REGISTRY[code]
    yield f"## {country.name.en} ({code})\n"
    yield "| source | publisher | licence | attribution |\n| --- | --- | --- | --- |"
    yield from map(_licence, country.sources)
    yield ""


def _licence(source: Source) -> str:
    return f"| [{source.name}]({source.url}) | {source.publisher} | {source.licence} | {source.attribution} |"


def fields(language: Language) -> str:
    """Return the members of a company in answers: where each is sent, what it holds, an example, its column."""
    rows = [_FIELDS_HEAD.of(language), "| --- | --- | --- | --- | --- |"]
    described: list[Field | ComposedField] = [row for row in (*FIELDS, *COMPOSED) if row.description is not None]
    for row in described:
        column = row.name if isinstance(row, Field) else ""
        name = row.member or row.name if isinstance(row, Field) else row.name
        example = "" if row.example is None else f"`{json.dumps(row.example, ensure_ascii=False)}`"
        cells = (f"`{camel(name)}`", _SERVED[row.served].of(language), row.description.of(language), example)
        rows.append("| " + " | ".join((*cells, f"`{column}`" if column else "")) + " |")
    return "\n".join(rows) + "\n"


def columns() -> str:
    """Return the columns of companies.parquet."""
    rows = ["| column | type | null | holds |", "| --- | --- | --- | --- |"]
    rows += [f"| `{row.name}` | `{row.type}` | {'yes' if row.nullable else 'no'} | {row.meaning} |" for row in FIELDS]
    return "\n".join(rows) + "\n"


def features() -> str:
    """Return the features of ranking with their weights and standard errors."""
    calibration = json.loads(CALIBRATION.read_text("utf-8"))
    rows = [
        "| feature | meaning | unit | direction | weight | why it is judged |",
        "| --- | --- | --- | --- | ---: | --- |",
    ]

    def weight(term: str) -> str:
        fitted, error = calibration["coefficients"][term], calibration["standardErrors"][term]
        return f"{fitted:.2f}" if error is None else f"{fitted:.2f} ± {error:.2f}"

    for row in TABLE.values():
        reason = row.judgment.reason if row.judgment else ""
        cells = (f"`{row.name}`", row.meaning, row.unit.value, row.direction.value, weight(row.name), reason)
        rows.append("| " + " | ".join(cells) + " |")
    rows += ["", "| product | why it has a weight of its own | weight |", "| --- | --- | ---: |"]
    rows += [f"| `{row.first}` × `{row.second}` | {row.reason} | {weight(row.name)} |" for row in JOINTS]
    return "\n".join(rows) + "\n"


def render(text: str, data: Path) -> str:
    """A document with its generated parts written anew."""
    parts = {
        "coverage": lambda: coverage(data, "en"),
        "coverage-es": lambda: coverage(data, "es"),
        "bundle": lambda: bundle(data, "en"),
        "bundle-es": lambda: bundle(data, "es"),
        "licences": licences,
        "fields": lambda: fields("en"),
        "fields-es": lambda: fields("es"),
        "columns": columns,
        "features": features,
    }
    return _PART.sub(lambda match: match[1] + parts[match[2]]() + match[3], text)


def documents() -> list[Path]:
    """The documents with generated parts."""
    return [
        path for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]) if _PART.search(path.read_text("utf-8"))
    ]


def whole() -> Path:
    """The newest kept evaluation of those that asked the most (`golden-<date>-<queries a kind>.json`)."""
    results = (ROOT / "benchmarks" / "results").glob("golden-*.json")
    return max(results, key=lambda path: (int(path.stem.rpartition("-")[2]), path.stem))


def reliability(kept: Path) -> str:
    """Figures for the page on confidence; `bins` are low, high, mean confidence, share of right answers, queries."""
    made = json.loads(kept.read_text("utf-8"))
    names = {name: made["names"][name] for name in ("asked", "absent", "precision", "recall", "error")}
    bins = [
        [low, high, measured["confidence"], measured["right"], measured["queries"]]
        for low, high, measured in made["reliability"]["all"]
    ]
    shown = {"date": made["about"]["date"], "release": made["about"]["release"], **names, "bins": bins}
    return json.dumps(shown, indent=1) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var"
    for document in documents():
        document.write_text(render(document.read_text("utf-8"), folder), "utf-8")
    RELIABILITY.write_text(reliability(whole()), "utf-8")
