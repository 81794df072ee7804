"""The container files of `deploy/` are correct, and their image serves with nothing but what they grant."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from padron.config import load
from padron.web import client_code
from ports import free_port
from servers import postgres, redis
from waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
STATED = {
    "PADRON_HOST": "padron.example",
    "PADRON_ACCOUNTS__SECRET": "s" * 64,
    "PADRON_DATABASE_PASSWORD": "p" * 64,
    "PADRON_MAIL__URL": "smtp://127.0.0.1:1",
    "PADRON_FETCH__CONTACT": "Padron data@padron.example",
}
"""Variables that the `.env` of an operator states."""


def environment(service: str) -> dict[str, str]:
    """The variables of a service of the compose file, filled in from `STATED`."""
    lines: dict[str, str] = COMPOSE["services"][service].get("environment", {})
    return {name: re.sub(r"\$\{(\w+)(?:[^}]*)\}", lambda m: STATED[m[1]], text) for name, text in lines.items()}


def is_refused(command: list[str], text: str) -> bool:
    """Return whether a checker refuses a text on its standard input."""
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).returncode != 0


@pytest.mark.verify
def test_the_container_file_has_no_finding() -> None:
    hadolint = [shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") or "hadolint", "-"]
    text = CONTAINERFILE.read_text("utf-8")
    assert not is_refused(hadolint, text)
    assert is_refused(hadolint, text.replace("debian:bookworm-slim", "debian"))


@pytest.mark.verify
def test_the_compose_file_is_of_its_schema() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    check += ["--default-filetype", "yaml", "-"]
    text = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    assert not is_refused(check, text)
    assert is_refused(check, text.replace("read_only: true", "readonly: true"))


def test_the_compose_file_gives_settings_that_exist() -> None:
    service = load(environment("service"))
    assert service.base_url == "https://padron.example"
    assert load(environment("refresh")).fetch.contact == STATED["PADRON_FETCH__CONTACT"]
    proxy = COMPOSE["services"]["proxy"]["networks"]["default"]["ipv4_address"]
    assert [str(network) for network in service.server.trusted_proxies] == [f"{proxy}/32"]
    caddy = (ROOT / "deploy" / "proxy" / "Caddyfile").read_text("utf-8")
    assert all(f"{{${name}:" in caddy for name in environment("proxy"))
    assert [name for name, entry in COMPOSE["services"].items() if "ports" in entry] == ["proxy"]


class Image(NamedTuple):
    """An image: what is configured for its containers, and its files."""

    config: dict[str, Any]
    files: Path

    def command(self, *command: str, variables: dict[str, str]) -> list[str]:
        """Return a command in these files as the user and with the variables of the image."""
        standing = dict(line.split("=", 1) for line in self.config["Env"])
        pairs = [f"{name}={value}" for name, value in (standing | variables).items()]
        user = self.config["User"]
        return ["chroot", f"--userspec={user}:{user}", str(self.files), "env", "-i", *pairs, *command]


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The image, built over a Debian root with the package registries that this machine is set up for."""
    with tempfile.TemporaryDirectory(prefix="padron-image-") as folder:
        buildah = ["buildah", "--root", f"{folder}/root", "--runroot", f"{folder}/run"]
        host = ["/etc/pip.conf", "/etc/ssl/certs", "/etc/apt/apt.conf.d"]
        volumes = [f"--volume={path}:{path}:ro" for path in host if Path(path).exists()]

        def run(*command: str) -> str:
            done = subprocess.run(
                [*buildah, *command],
                env=os.environ | {"BUILDAH_ISOLATION": "chroot"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr[-2000:]
            return done.stdout.strip()

        debian = f"{folder}/debian.tar"
        # While the image is built, this machine's certificates lie over those of Debian, which are there before.
        bootstrap = ["mmdebstrap", "--variant=minbase", "--quiet", "--include=ca-certificates", "bookworm", debian]
        subprocess.run(bootstrap, check=True)
        base = run("from", "scratch")
        run("add", base, debian, "/")
        run("commit", "--rm", base, "docker.io/library/debian:bookworm-slim")
        build = ["build", "--pull-never", "--format=docker", *volumes, f"--file={CONTAINERFILE}", "--tag=padron"]
        run(*build, str(ROOT))
        container = run("from", "--pull-never", "localhost/padron")
        config = json.loads(run("inspect", "--type=image", "localhost/padron"))["Docker"]["config"]
        try:
            yield Image(config, Path(run("mount", container)))
        finally:
            run("rm", container)


# A root that cannot be written, with a folder in memory at /tmp: `read_only` and `tmpfs` of the compose file.
READ_ONLY = """
set -e
mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"
mount -t tmpfs tmpfs "$0/tmp"; mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"
exec "$@"
"""


def confined(image: Image, *command: str, variables: dict[str, str]) -> list[str]:
    """Return a command inside the image, whose root is read only, in mounts of its own."""
    inside = image.command(*command, variables=variables)
    return ["unshare", "--mount", "sh", "-c", READ_ONLY, str(image.files), *inside]


@pytest.mark.release_check
def test_the_image_serves_without_root_or_a_writable_file(image: Image) -> None:
    """With the variables of the compose file, a real database and a real Redis, every part is in order."""
    port, operations = free_port(), free_port()
    variables = environment("service")
    assert COMPOSE["services"]["service"]["read_only"] is True
    assert COMPOSE["services"]["service"]["tmpfs"] == ["/tmp"]
    start = [*image.config["Entrypoint"], *image.config["Cmd"]]
    assert start[-2:] == ["--workers", "2"]
    start[start.index("8000")] = str(port)
    with postgres() as database, redis() as (limits, _):
        variables |= {
            "PADRON_ACCOUNTS__URL": database,
            "PADRON_LIMITS__URL": limits,
            "PADRON_SERVER__OPERATIONS": f"127.0.0.1:{operations}",
        }
        process = subprocess.Popen(confined(image, *start, variables=variables), stdout=subprocess.DEVNULL)

        def ready() -> dict[str, Any]:
            assert process.poll() is None, "the service ended"
            with (
                suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{operations}/readyz", timeout=PATIENCE) as answer,
            ):
                return dict(json.load(answer)["parts"])
            return {}

        try:
            until(lambda: ready().get("accounts") == "ok")
            assert set(ready().values()) == {"ok"}
            url = f"http://127.0.0.1:{port}/api/public/empresas/search?q=favorita"
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                assert json.load(answer)["bestMatch"]["identifier"] == "1790016919001"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/clients.zip", timeout=PATIENCE) as answer:
                assert answer.read() == client_code.archive()
            kind, *probe = image.config["Healthcheck"]["Test"]
            probe = [text.replace("8901", str(operations)) for text in probe]
            health = image.command(*probe, variables={})
            assert kind == "CMD"
            assert subprocess.run(health, check=False).returncode == 0
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
        assert subprocess.run(health, capture_output=True, check=False).returncode != 0


@pytest.mark.release_check
@pytest.mark.parametrize("path", ["/var/lib/padron/x", "/opt/padron/x", "/etc/x"])
def test_nothing_in_the_image_can_be_written(image: Image, path: str) -> None:
    command = "test $(id -u) != 0 && touch /tmp/x && ! touch "
    assert subprocess.run(confined(image, "sh", "-c", command + path, variables={}), check=False).returncode == 0


@pytest.mark.release_check
def test_the_image_holds_no_secret(image: Image) -> None:
    data = image.files / "var" / "lib" / "padron"
    kept = {"current", "indexes", "releases", "snapshots", ".build.lock"}
    assert {path.name for path in data.iterdir()} == kept
