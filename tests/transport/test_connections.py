"""The connection that makes room, and whose time is over."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from padron.config import Server
from padron.transport.connections import Connection, Connections, Phase


class Still(Connection):
    """A connection without a socket; it enters a phase at the time that its test gives."""

    def __init__(self, connections: Connections) -> None:
        self.phase, self.since, self.client_key, self.is_open = Phase.HEADER, 0.0, "", True
        self._all = connections

    def enter(self, phase: Phase) -> None:
        self._all.move(self, phase)
        self.phase = phase

    def abort(self) -> None:
        self._all.release(self)
        self.is_open = False


@pytest.mark.parametrize("tick", [0.0, 1.0])
def test_the_first_of_its_phase_makes_room_even_within_one_tick_of_the_clock(tick: float) -> None:
    connections = Connections(Server(connections_per_address=3))
    clients = [Still(connections) for _ in range(4)]
    for client in clients[:3]:
        connections.admit(client, "192.0.2.1")
    for turn, client in enumerate((*clients[:3], clients[0])):
        client.since = turn * tick
        client.enter(Phase.WORKING)
        client.enter(Phase.IDLE)
    connections.admit(clients[3], "192.0.2.1")
    assert [client.is_open for client in clients] == [True, False, True, True]


def test_a_body_that_the_service_does_not_take_is_no_wait_for_the_client() -> None:
    connections = Connections(Server(body_timeout=20))
    client = Still(connections)
    client.cycle = SimpleNamespace(more_body=True, response_complete=False)
    client.flow, client._in_header = SimpleNamespace(write_paused=False, read_paused=True), False
    clock = client.loop = SimpleNamespace(time=lambda: 100.0)
    connections.admit(client, "192.0.2.1")
    client.settle()
    connections.close_overdue(1_000.0)
    assert (client.phase, client.is_open) == (Phase.WORKING, True)
    client.flow.read_paused, clock.time = False, lambda: 1_000.0
    connections.close_overdue(1_000.0)
    assert (client.phase, client.is_open) == (Phase.BODY, True)
    connections.close_overdue(1_020.0)
    assert not client.is_open
