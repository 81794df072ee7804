"""Settings: read from the environment alone, every fault told at once."""

from __future__ import annotations

import dataclasses
import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from padron.config import Limits, Server, Settings, build_time, load, reader_language
from padron.errors import Invalid, messages

ROOT = Path(__file__).parents[1]


def test_defaults() -> None:
    assert load({"PATH": "/bin", "PADRONES": "x"}) == Settings(
        base_url="http://127.0.0.1:8000",
        data=Path("var"),
        limits=Limits(enabled=True),
        server=Server(trusted_proxies=()),
    )


def test_every_setting_is_read() -> None:
    settings = load(
        {
            "PADRON_BASE_URL": "https://padron.example/api/",
            "PADRON_DATA": "/srv/padron",
            "PADRON_LIMITS__ENABLED": "0",
            "PADRON_SERVER__TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.7,2001:db8::/32",
            "PADRON_SERVER__OPERATIONS": "[::1]:9000",
            "PADRON_SERVER__CONNECTIONS": "100",
            "PADRON_SERVER__HEADER_TIMEOUT": "2.5",
        }
    )
    assert settings.server.operations == ("::1", 9000)
    assert settings.server.connections == 100
    assert settings.server.header_timeout == 2.5
    assert settings.base_url == "https://padron.example/api"
    assert settings.data == Path("/srv/padron")
    assert settings.limits.enabled is False
    assert settings.server.trusted_proxies == (
        ipaddress.ip_network("10.0.0.0/8"),
        ipaddress.ip_network("192.0.2.7/32"),
        ipaddress.ip_network("2001:db8::/32"),
    )
    assert load({"PADRON_SERVER__TRUSTED_PROXIES": " "}).server.trusted_proxies == ()


def test_a_folder_given_on_the_command_line_rules() -> None:
    assert load({"PADRON_DATA": "/srv/padron"}, data=Path("here")).data == Path("here")


def test_settings_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load({}).data = Path("elsewhere")  # type: ignore[misc]


def test_a_build_is_repeated_at_its_time() -> None:
    assert build_time({"SOURCE_DATE_EPOCH": "1764000000"}).isoformat() == "2025-11-24T16:00:00+00:00"
    assert abs(build_time({}) - datetime.now(UTC)) < timedelta(days=1)
    with pytest.raises(Invalid) as caught:
        build_time({"SOURCE_DATE_EPOCH": "yesterday"})
    detail = messages.detail(caught.value, "en")
    assert detail == "SOURCE_DATE_EPOCH must be a number of seconds since 1970."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PADRON_BASE_URL", ""),
        ("PADRON_BASE_URL", "padron.example"),
        ("PADRON_BASE_URL", "ftp://padron.example"),
        ("PADRON_BASE_URL", "https://padron.example/?x=1"),
        ("PADRON_BASE_URL", "https://user@padron.example"),
        ("PADRON_BASE_URL", "https://padron.example:99999"),
        ("PADRON_BASE_URL", "https://padrón.example"),
        ("PADRON_BASE_URL", "http://[::1"),
        ("PADRON_DATA", ""),
        ("PADRON_LIMITS__ENABLED", "maybe"),
        ("PADRON_LIMITS__ENABLED", ""),
        ("PADRON_SERVER__OPERATIONS", "10.1.2.3"),
        ("PADRON_SERVER__OPERATIONS", "10.1.2.3:x"),
        ("PADRON_SERVER__CONNECTIONS", "0"),
        ("PADRON_SERVER__IDLE_TIMEOUT", "0.0"),
        ("PADRON_SERVER__IDLE_TIMEOUT", "soon"),
        ("PADRON_SERVER__TRUSTED_PROXIES", "10.0.0.1/8"),
        ("PADRON_SERVER__TRUSTED_PROXIES", "proxy.example"),
        ("PADRON_SERVER__TRUSTED_PROXIES", "10.0.0.0/8,,"),
    ],
)
def test_a_wrong_value_is_told_without_showing_it(name: str, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        load({name: text})
    assert caught.value.code == "bad-settings"
    assert [fault.code for fault in caught.value.context["faults"]] == ["bad-setting"]
    message = messages.detail(caught.value, "en")
    assert message.startswith(f"{name} must be ")
    assert not text or text not in message


def test_every_fault_is_told_in_one_message() -> None:
    wrong = {
        "PADRON_BASE_URL": "nowhere",
        "PADRON_LIMITS__ENABLED": "perhaps",
        "PADRON_LIMIT__ENABLED": "0",
        "PADRON_limits__enabled": "0",
    }
    with pytest.raises(Invalid) as caught:
        load(wrong)
    assert messages.detail(caught.value, "es") == (
        "PADRON_BASE_URL debe ser una dirección http(s) completa, sin consulta ni fragmento. "
        "PADRON_LIMITS__ENABLED debe ser 1 o 0. "
        "No existe el ajuste PADRON_LIMIT__ENABLED; el más parecido es PADRON_LIMITS__ENABLED. "
        "No existe el ajuste PADRON_limits__enabled; el más parecido es PADRON_LIMITS__ENABLED."
    )


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, "en"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "es"}, "es"),
        ({"LANG": "pt_BR.UTF-8"}, "es"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "es_EC.UTF-8"}, "es"),
        ({"LANG": "es_EC.UTF-8", "LC_MESSAGES": "es_EC.UTF-8", "LC_ALL": "en_GB"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANGUAGE": "es_EC:en"}, "es"),
        ({"LANG": "es_EC.UTF-8", "LANGUAGE": "pt_BR:en:es"}, "en"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "pt_BR"}, "es"),
    ],
)
def test_the_language_of_a_terminal(environment: dict[str, str], language: str) -> None:
    assert reader_language(environment=environment) == language


def test_a_service_hands_out_the_address_of_its_port_unless_another_is_given() -> None:
    assert load({}, port=8123).base_url == "http://127.0.0.1:8123"
    assert load({"PADRON_BASE_URL": "https://padron.example"}, port=8123).base_url == "https://padron.example"
    assert load({}).base_url == "http://127.0.0.1:8000"


def test_a_terminal_without_a_language_has_the_one_of_who_asks() -> None:
    assert reader_language("es", {"LANG": "C.UTF-8"}) == "es"
    assert reader_language("es", {"LANG": "en_US.UTF-8"}) == "en"


def environment_readers(root: Path) -> list[str]:
    """Modules that look at the environment."""
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*.py"))
        if any(
            word in path.read_text("utf-8")
            for word in ("getenv", "os.environ[", "os.environ.get", "environ:", "= os.environ")
        )
    ]


def test_nothing_else_reads_the_environment(tmp_path: Path) -> None:
    assert environment_readers(ROOT / "src" / "padron") == ["config.py", "transport/observability.py"]
    (tmp_path / "sly.py").write_text("import os\nx = os.getenv('PADRON_X')\n")
    assert environment_readers(tmp_path) == ["sly.py"]
