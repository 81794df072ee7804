"""The TypeScript client: its own tests, its types, its package; the long suite runs it everywhere it is meant for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import httpx2
import pytest

from account_service import served
from node_tools import CLIENT, INTEL, TOOLS, run
from process import Server

RUNTIMES = CLIENT / "runtimes" / "node_modules"
KINDS: dict[str, list[str | Path]] = {
    "node18": [RUNTIMES / ("node18-x64" if INTEL else "node18-arm64") / "bin" / "node"],
    "node20": [RUNTIMES / ("node20-x64" if INTEL else "node20-arm64") / "bin" / "node"],
    "node22": [TOOLS / "node"],
    "deno": [RUNTIMES / "@deno" / ("linux-x64-glibc" if INTEL else "linux-arm64-glibc") / "deno", "run", "--allow-all"],
    "bun": [RUNTIMES / "@oven" / ("bun-linux-x64" if INTEL else "bun-linux-aarch64") / "bin" / "bun"],
}
STRICT = "--noEmit --strict --module nodenext --target es2022 --lib es2023 --types node".split()

_BLOCK = re.compile(r"^```js\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)]+)\)")
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(r"console\.log\(.*\); // (.*)$", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """`dist`, newly built, for the runtimes that import it."""
    run("npm", "run", "build")


def clone(folder: Path) -> Path:
    """The client in a fresh clone of the project, which nobody has built."""
    files = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".", cwd=CLIENT).split("\0")[:-1]
    for name in files:
        copy = folder / "clients" / "typescript" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CLIENT / name, copy)
    return folder / "clients" / "typescript"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a fresh clone packs it; its tools are installed already."""
    folder = tmp_path_factory.mktemp("packed")
    client = clone(folder)
    (client / "node_modules").symlink_to(CLIENT / "node_modules")
    run("npm", "pack", cwd=client)
    (path,) = client.glob("*.tgz")
    return path


def test_its_own_tests_pass() -> None:
    output = run("vitest", "run")
    assert re.search(r"Tests +\d+ passed", output)
    assert "skipped" not in output


@pytest.mark.verify
def test_its_types_hold() -> None:
    assert "error TS" not in run("npm", "run", "check")


def test_the_package_is_clean(packed: Path) -> None:
    files = run("tar", "--list", "--file", packed).split()
    entries = ("files", "identifiers", "index", "watchlists")
    built = [f"dist/{entry}.{end}" for entry in entries for end in ("cjs", "d.cts", "d.ts", "js")]
    shared = ["dist/shapes.cjs", "dist/shapes.js", "dist/types.d.cts", "dist/types.d.ts"]
    # For resolution as before Node 12, which knows no `exports`.
    kept = ["LICENSE", "README.es.md", "README.md", *built, *shared, "package.json"]
    kept += ["files/package.json", "identifiers/package.json", "watchlists/package.json"]
    assert sorted(files) == sorted(f"package/{name}" for name in kept)
    run("publint", packed, "--strict")
    run("attw", packed)


@pytest.mark.verify
def test_types_are_those_of_what_is_served(tmp_path: Path) -> None:
    with served(tmp_path) as (_, base):
        wire = run("node", "scripts/wire.mjs", base)
    assert wire == (CLIENT / "src" / "wire.ts").read_text("utf-8"), "stale: npm run wire"


@pytest.mark.verify
@pytest.mark.parametrize("name", ["public", "v1", "account"])
def test_what_openapi_typescript_generates_compiles(name: str, server: Server, tmp_path: Path) -> None:
    described = httpx2.get(f"{server.url}/api/{name}/openapi.json").json()
    operations = [operation for item in described["paths"].values() for operation in item.values()]
    assert {tag for operation in operations for tag in operation["tags"]} == {name}
    document, types = tmp_path / "openapi.json", tmp_path / "types.ts"
    document.write_text(json.dumps(described))
    run("openapi-typescript", document, "--output", types)
    run("tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", types)
    assert all(f"{operation['operationId']}: {{" in types.read_text("utf-8") for operation in operations)


def imported(text: str) -> set[str]:
    """Names that a module imports or loads."""
    return set(re.findall(r'(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*"([^"]+)"', text))


def test_it_imports_nothing_but_itself() -> None:
    modules = {f"./{path.stem}" for path in (CLIENT / "src").glob("*.ts")}
    imports = {name for path in (CLIENT / "src").glob("*.ts") for name in imported(path.read_text("utf-8"))}
    assert imports - modules == {"../package.json"}
    planted = (
        'import "a";\nimport {\n b } from "b";\nconst c = require("c"), d = await import("d");\nexport * from "e";'
    )
    assert imported(planted) == set("abcde")


def unsure(lock: str) -> list[str]:
    """Packages of a lock file that have an address, or no checksum."""
    packages = json.loads(lock)["packages"].items()
    return [name for name, package in packages if name and ("resolved" in package or "integrity" not in package)]


@pytest.mark.parametrize("folder", [".", "node", "runtimes"])
def test_locks_hold_checksums_and_no_address(folder: str) -> None:
    assert unsure((CLIENT / folder / "package-lock.json").read_text("utf-8")) == []
    assert unsure('{"packages": {"": {}, "a": {"resolved": "x", "integrity": "y"}, "b": {}}}') == ["a", "b"]


class Stage(NamedTuple):
    """Server of the exchanges of the cases, in a process of its own."""

    url: str
    process: subprocess.Popen[str]

    def report(self) -> str:
        """The next report of a page."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    command = [TOOLS / "node", CLIENT / "test" / "stage.mjs"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Stage(process.stdout.readline().strip(), process)
        process.stdin.close()


@pytest.fixture(scope="module")
def limited_key(new_key: Callable[[str], str]) -> str:
    """The key of an account to be used up. The service lets one address sign up only so often: runtimes share it."""
    return new_key("typescript-limited@example.ec")


@pytest.fixture(scope="module")
def reader_key(new_key: Callable[[str], str]) -> str:
    """The key of a reader who tries the examples."""
    return new_key("typescript-reader@example.ec")


@pytest.mark.release_check
@pytest.mark.parametrize("kind", [*KINDS, "page", "worker"])
@pytest.mark.usefixtures("packed")
def test_everywhere(
    kind: str, server: Server, new_key: Callable[[str], str], limited_key: str, stage: Stage, tmp_path: Path
) -> None:
    key = new_key(f"{kind}@example.ec")
    given = {"stage": stage.url, "base": server.url, "key": key, "limited": limited_key}
    if kind in KINDS:
        result = json.loads(run(*KINDS[kind], CLIENT / "test" / "run.mjs", json.dumps(given)))
    else:
        result = in_chromium(kind, stage, given, tmp_path)
    assert result["failures"] == []
    assert result["cases"] == len(json.loads((CLIENT.parent / "cases.json").read_text("utf-8"))["cases"])


def in_chromium(kind: str, stage: Stage, given: dict[str, str], profile: Path) -> dict[str, object]:
    """Report of a page or a worker that runs the suite."""
    page = f"{stage.url}/files/page.html?{kind}#{quote(json.dumps(given))}"
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}"]
    with subprocess.Popen(["chromium", *switches, page], stderr=subprocess.DEVNULL) as browser:
        try:
            report: dict[str, object] = json.loads(stage.report())
        finally:
            browser.terminate()
    assert re.search(r"HeadlessChrome.* " + {"page": "Window", "worker": "DedicatedWorker"}[kind], str(report["where"]))
    return report


@pytest.fixture(scope="module")
def project(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the package installed as a reader would."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"name": "project", "private": true}')
    run("npm", "install", packed, cwd=folder)
    return folder


def example(text: str, server: Server) -> str:
    """A block of the read-me as a program of its own, which asks `server`."""
    needed = ""
    if "import { createClient }" not in text:
        needed += 'import { createClient } from "@padron/client";\n'
    if "const padron =" not in text:
        needed += 'const padron = createClient({ apiKey: process.env.PADRON_API_KEY ?? "" });\n'
    return re.sub(r"(create\w*Client\(\{)", rf'\1 baseUrl: "{server.url}",', needed + text)


@pytest.mark.release_check
@pytest.mark.parametrize("name", ["README.md", "README.es.md"])
def test_every_block_of_the_readme(name: str, project: Path, server: Server, reader_key: str) -> None:
    document = (CLIENT / name).read_text("utf-8")
    blocks = _BLOCK.findall(document)
    assert len(blocks) + len(_COMMANDS.findall(document)) == document.count("```") / 2
    for number, text in enumerate(blocks):
        program = project / f"{name}-{number}.mts"
        program.write_text(example(text, server))
        output = run(*KINDS["node22"], "--experimental-strip-types", program, cwd=project, PADRON_API_KEY=reader_key)
        assert output.splitlines() == _SHOWN.findall(text), text
    types = CLIENT / "node_modules" / "@types"
    run("tsc", *STRICT, "--typeRoots", types, *project.glob(f"{name}-*.mts"), cwd=project)


@pytest.mark.release_check
@pytest.mark.parametrize("name", ["README.md", "README.es.md"])
def test_the_installation_of_the_readme(name: str, tmp_path: Path) -> None:
    """Run the commands as they stand, with the Node of the machine, in a clone in which nothing is installed."""
    clone(tmp_path)
    (tmp_path / "package.json").write_text('{"name": "project", "private": true}')
    (commands,) = _COMMANDS.findall((CLIENT / name).read_text("utf-8"))
    environment = os.environ | {"npm_config_loglevel": "error"}
    subprocess.run(["bash", "-ec", commands], cwd=tmp_path, env=environment, check=True, capture_output=True)
    loaded = subprocess.run(
        ["node", "-p", 'typeof require("@padron/client").createClient'],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert loaded.stdout == "function\n"


def test_links_of_the_readme_lead_somewhere_outside_the_repository(packed: Path) -> None:
    files = set(run("tar", "--list", "--file", packed).split())
    for name in ("README.md", "README.es.md"):
        links = [link for link in _LINK.findall((CLIENT / name).read_text("utf-8")) if "://" not in link]
        assert links
        assert [link for link in links if f"package/{link}" not in files] == []


@pytest.mark.release_check
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_example_in_an_empty_project(kind: str, project: Path, server: Server, reader_key: str) -> None:
    (first, *_) = _BLOCK.findall((CLIENT / "README.md").read_text("utf-8"))
    module = example(first, server)
    script = re.sub(r"^import (.*) from (.*);$", r"const \1 = require(\2);", module, flags=re.MULTILINE)
    (project / "first.mjs").write_text(module)
    (project / "first.cjs").write_text(f"(async () => {{\n{script}\n}})();\n")
    for name in ("first.mjs", "first.cjs"):
        output = run(*KINDS[kind], project / name, cwd=project, PADRON_API_KEY=reader_key)
        assert output.splitlines() == _SHOWN.findall(first)
