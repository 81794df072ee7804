"""The files of `deploy/` work: units are correct and confined, and both proxies stand in front of a real service."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trustme

from ports import free_port
from process import serving
from waiting import PATIENCE, until

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
SEARCH = "/api/public/empresas/search?q=favorita"

pytestmark = pytest.mark.verify


def test_units_are_correct(tmp_path: Path) -> None:
    """Against a program that is there: the units name the one of an installation."""
    program = shutil.which("true")
    for unit in UNITS:
        text = re.sub(r"^ExecStart=\S+", f"ExecStart={program}", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text)
    paths = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run(["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "padron" in line] == []


@pytest.mark.parametrize("unit", ["padron.service", "padron-refresh.service", "padron-pull.service"])
def test_units_are_confined(unit: str) -> None:
    command = ["systemd-analyze", "security", "--offline=yes", str(DEPLOY / "systemd" / unit)]
    report = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", report)
    assert exposure is not None
    assert float(exposure[1]) <= 2.0


@contextmanager
def proxy(command: list[str], address: str, context: ssl.SSLContext) -> Iterator[None]:
    """Run a proxy until the block ends."""

    def listens() -> bool:
        assert process.poll() is None, "the proxy ended"
        with suppress(OSError), urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE, context=context):
            return True
        return False

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(listens)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def check(address: str, context: ssl.SSLContext) -> None:
    """Fail unless the proxy compresses, hides what is for operators, and hands on the fields of the service."""
    request = urllib.request.Request(address + SEARCH, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
        assert (answer.status, answer.headers["content-encoding"]) == (200, "gzip")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert "ratelimit" in answer.headers
    for path in ("/metrics", "/readyz"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address + path, timeout=PATIENCE, context=context)


BEHIND_PROXY = {
    "PADRON_BASE_URL": "https://padron.example",
    "PADRON_SERVER__TRUSTED_PROXIES": "127.0.0.1",
    "PADRON_LIMITS__ENABLED": "1",
}


def test_nginx_stands_before_the_service(small_data: Path, tmp_path: Path) -> None:
    authority, port = trustme.CA(), free_port()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "fullchain.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "privkey.pem")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    with serving(small_data, tmp_path, **BEHIND_PROXY) as server:
        text = (DEPLOY / "proxy" / "nginx.conf").read_text()
        changes = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ": f"listen 127.0.0.1:{port} ",
            "/etc/ssl/padron": str(tmp_path),
            "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        }
        for before, after in changes.items():
            assert before in text
            text = text.replace(before, after)
        (tmp_path / "padron.conf").write_text(text)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        (tmp_path / "nginx.conf").write_text(
            f"user root; daemon off; pid {tmp_path}/pid; error_log stderr; events {{}}\n"
            f"http {{ access_log off; {folders} include {tmp_path}/padron.conf; }}"
        )
        command = ["nginx", "-e", "stderr", "-c", str(tmp_path / "nginx.conf")]
        assert subprocess.run([*command, "-t"], capture_output=True, check=False).returncode == 0
        with proxy(command, f"https://127.0.0.1:{port}", context):
            check(f"https://127.0.0.1:{port}", context)


def test_caddy_stands_before_the_service(small_data: Path, tmp_path: Path) -> None:
    port = free_port()
    with serving(small_data, tmp_path, **BEHIND_PROXY) as server:
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + (DEPLOY / "proxy" / "Caddyfile").read_text())
        places = [f"PADRON_HOST=http://127.0.0.1:{port}", f"PADRON_UPSTREAM=127.0.0.1:{server.port}"]
        command = ["env", *places, "caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
        with proxy(command, f"http://127.0.0.1:{port}", ssl.create_default_context()):
            check(f"http://127.0.0.1:{port}", ssl.create_default_context())
