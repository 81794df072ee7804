from __future__ import annotations

import pytest

import padron_client.client


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, in seconds, in place of waiting."""
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(padron_client.client, "sleep", waited.append)
    monkeypatch.setattr(padron_client.client, "pause", pause)
    return waited


@pytest.fixture(params=["threads", "asyncio"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each test runs with `Padron` and with `AsyncPadron`."""
    return request.param
