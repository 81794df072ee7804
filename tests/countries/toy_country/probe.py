"""Ask a service with Peru in its registry over every face; print what it answers as JSON.

Runs in a process of its own, on a copy of the package: `python probe.py DATA`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.service.app import build_app
from padron.web.addresses import FIXED, path

BASE_URL = "https://padron.example"
COMPANY = {"country": "pe", "identifier": "20999000011"}
LANGUAGES = ("es", "en")


def pages() -> list[str]:
    """Return the address of every kind of page in both languages."""
    addresses = [path(name, language) for language in LANGUAGES for name in FIXED]
    for language in LANGUAGES:
        company = path("company", language, **COMPANY)
        addresses += [
            company,
            f"{company}.json",
            f"{company}.md",
            path("country", language, country="pe"),
            f"{path('search', language)}?q=textiles+huascaran",
            f"{path('search', language)}?q=nada+parecido+a+esto&country=PE",
            f"{path('suggest', language)}?q=textiles",
            f"/cards/{language}/pe/{COMPANY['identifier']}.png",
            f"/sitemaps/{language}/pages.xml",
            f"/sitemaps/{language}/pe-1.xml",
        ]
    return [*addresses, "/robots.txt", "/sitemap.xml", "/llms.txt", "/llms-full.txt"]


def ask(directory: Directory, question: str, country: str | None = None) -> dict[str, Any]:
    """Answer a question as v1 does."""
    from padron.questions.plan import Question  # noqa: PLC0415 - where the name is imported from may change

    answer = run(directory.ask(Question(question, country), "es"))
    return {
        "verdict": answer.verdict,
        "sentence": answer.sentence.es,
        "best": answer.best and [answer.best.detail.record.country_code, answer.best.detail.record.identifier],
        "schemes": [part.asked.schemes for part in answer.plan.parts],
    }


def main(data: Path) -> dict[str, Any]:
    """Collect the answers of every face."""
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=data)
    directory = run(Directory.open(data, REGISTRY, BASE_URL))
    with TestClient(build_app(settings, directory), base_url=BASE_URL, follow_redirects=False) as client:

        def get(address: str) -> Any:
            return client.get(address, headers={"accept-language": "es"}).json()

        public = "/api/public/empresas"
        return {
            "pages": {address: client.get(address).status_code for address in pages()},
            "texts": {
                name: client.get(address).text
                for name, address in {
                    "home": "/en",
                    "company": path("company", "es", **COMPANY),
                    "country": path("country", "en", country="pe"),
                    "sitemap": "/sitemap.xml",
                    "companies": "/sitemaps/es/pe-1.xml",
                    "llms": "/llms.txt",
                }.items()
            },
            "search": get(f"{public}/search?q=textiles+huascaran"),
            "by_ruc": get(f"{public}/search?q=RUC+20999000011"),
            "ecuadorian_ruc": get(f"{public}/search?q=RUC+1790016919001"),
            "get": get(f"{public}/PE/20999000011"),
            "person": client.get(f"{public}/search?q=10099999999").status_code,
            "stats": get(f"{public}/stats"),
            "public": client.get("/api/public/openapi.json", headers={"accept-language": "en"}).json(),
            "v1": client.get("/api/v1/openapi.json", headers={"accept-language": "en"}).json(),
            "questions": {
                "named": ask(directory, "¿cuál es el RUC de Textiles Huascarán en el Perú?"),
                "unnamed": ask(directory, "¿cuál es el RUC de Textiles Huascarán?"),
                "ecuadorian": ask(directory, "¿cuál es el RUC de Corporación Favorita?"),
                "limited": ask(directory, "¿cuál es el RUC de Corporación Favorita?", "EC"),
                "number": ask(directory, "¿de quién es el RUC 20999000020?"),
                "list": ask(directory, "empresas activas en Arequipa"),
                "activity": ask(directory, "bancos en el Perú"),
            },
        }


if __name__ == "__main__":
    print("PROBE" + json.dumps(main(Path(sys.argv[1])), ensure_ascii=False))
