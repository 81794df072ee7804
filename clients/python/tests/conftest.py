from __future__ import annotations

import pytest

import padron_client.client
import padron_client.pace


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, in seconds, in place of waiting: the clock goes on by them alone."""
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(padron_client.client, "sleep", waited.append)
    monkeypatch.setattr(padron_client.client, "pause", pause)
    monkeypatch.setattr(padron_client.pace, "monotonic", lambda: sum(waited))
    return waited


@pytest.fixture(params=["threads", "asyncio"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each test runs with `Padron` and with `AsyncPadron`."""
    return request.param
