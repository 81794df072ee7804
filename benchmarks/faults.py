"""The fault table: what is done to a running service, what it promises, and what was seen.

    make faults                                    # or: python benchmarks/faults.py --data var
    python benchmarks/faults.py --data var --soak 30

Every row makes its fault over a copy of the release in the data folder and then looks from outside. A row is kept if
all that it promises was seen; where a figure in milliseconds belongs to the promise, `--patient` leaves it out, for
machines that are busy with other work. Rows need Linux, `faketime` for the clock, and root for a full and a read-only
disk. Results: benchmarks/results/faults-<date>.json and soak-<date>.json, with `--keep`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from fault_bench import (
    HEALTH_P99,
    OTHERS_P99,
    ROWS,
    TWIN,
    Bench,
    Seen,
    answers,
    ask,
    ask_beside,
    children,
    counting_in,
    doctor,
    get,
    metric,
    mounted,
    new_key,
    p99,
    padron,
    post,
    private_mib,
    ready_parts,
    row,
    table,
)
from hostile_clients import hostile_crowd, raise_file_limit
from kept import keep

import servers
from account_service import PASSWORD
from padron.index import release_index
from padron.releases import snapshot
from ports import free_port
from process import Traffic, publish, serving, traffic
from waiting import until

ROLLBACK: Final = 5.0
"""Seconds; and within which a restored machine serves."""
RESTORED: Final = 60.0


# Releases.

DAMAGES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "truncated": lambda content: content[: len(content) // 2],
    "flipped": lambda content: content[: len(content) // 2] + bytes(64) + content[len(content) // 2 + 64 :],
    "emptied": lambda content: b"",
}


def damage(path: Path, way: str) -> None:
    """Damage a file in place of its link: the original stays whole. Of a database, the head is in use for certain."""
    content = path.read_bytes()
    path.unlink()
    if path.suffix == ".sqlite" and way == "flipped":
        path.write_bytes(bytes(64) + content[64:])
    elif way != "removed":
        path.write_bytes(DAMAGES[way](content))


@row(
    "files: damaged",
    "`current`, the manifest and the largest file of each folder truncated, flipped, emptied, removed; then a start",
    "`release verify` or doctor names it; the service starts, serves, and tells it in /readyz; the remedy works",
)
def damaged_files(bench: Bench) -> Seen:
    """Damage the files one after the other; a patient bench takes one way for each."""
    ways = [*DAMAGES, "removed"]
    original = bench.copy()
    release = snapshot.current(original)
    index = snapshot.index_folder(original, release, release_index.FORMAT)
    files = sorted(path for path in [*index.rglob("*"), *(original / "snapshots").rglob("*")] if path.is_file())
    largest = {path.parent: path for path in sorted(files, key=lambda path: path.stat().st_size)}
    chosen = [original / "current", original / "releases" / f"{release}.json", *sorted(largest.values())]
    faults: list[str] = []
    tried = 0
    for number, path in enumerate(chosen):
        for way in [ways[number % len(ways)]] if bench.patient else ways:
            if path.name == "current" and way in {"truncated", "flipped"}:
                continue  # half of it is all that is needed
            tried += 1
            copy = bench.copy()
            name = str(path.relative_to(original))
            damage(copy / name, way)
            faults += [f"{name} {way}: {fault}" for fault in _told_and_served(bench, copy, way, name)]
            shutil.rmtree(copy.parent)
    copy = bench.copy()
    damage(copy / chosen[-1].relative_to(original), "flipped")
    code, output = padron("build", "--data", copy)
    if code or padron("release", "verify", "--data", copy)[0]:
        faults.append(f"padron build did not mend it: {output[-300:]}")
    return Seen(not faults, "; ".join(faults) or f"{tried} damaged files told and survived; one built again whole")


def _told_and_served(bench: Bench, data: Path, way: str, name: str) -> Iterator[str]:
    verified, named = padron("release", "verify", "--data", data)
    examined, findings = doctor(data)
    if not verified and not examined:
        yield f"neither verify nor doctor tells it ({named[-200:]} {findings[-200:]})"
    if "padron " not in named + findings:
        yield f"no remedy is named: {(named + findings)[-300:]}"
    try:
        with bench.service(data) as (server, operations):
            serves = until(lambda: get(operations, "/readyz")[0] in {200, 503} and answers(server.port))
            if not serves:
                yield "the service does not answer"
            parts = get(operations, "/readyz")[1].decode()
            if '"search":"ok"' in parts.replace(" ", "") and not name.startswith("snapshots"):
                yield f"/readyz does not tell it: {parts[:200]}"
    except AssertionError as error:
        yield f"the service does not serve: {error}"


@row(
    "files: damaged while served",
    "the current release is replaced by a damaged one under load",
    "the whole one goes on, no request fails, /readyz tells it",
)
def damaged_while_served(bench: Bench) -> Seen:
    """Publish a damaged twin."""
    data = bench.copy()
    damage(snapshot.index_folder(data, TWIN, release_index.FORMAT) / "tables.msgpack", "truncated")
    with bench.service(data) as (server, operations):
        seen = asyncio.run(_under_traffic(bench, server.port, lambda _: publish(data, TWIN)))
        parts = until(lambda: (output := get(operations, "/readyz")[1]) and b"release-damaged" in output and output)
    kept = not seen.failures and set(seen.statuses) == {200} and len(seen.releases) == 1
    return Seen(kept, f"{sum(seen.statuses.values())} answers of one release; /readyz: {parts.decode()[:120]}")


@row(
    "files: damaged in place",
    "the largest file of the companies' index is overwritten with zeros while it is served",
    "the release before is served, /readyz says `release-damaged`; then every search is 200 with results",
)
def damaged_in_place(bench: Bench) -> Seen:
    """Overwrite a file that the service has open, a copy that is no link to the data folder."""
    data = bench.copy()
    index = snapshot.index_folder(data, snapshot.current(data), release_index.FORMAT)
    path = max((path for path in index.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    size = path.stat().st_size
    shutil.copy(path, data / "copy")
    (data / "copy").replace(path)
    searches = bench.names(200)
    with bench.service(data) as (server, operations):
        before = [target for target in searches if has_results(server.port, target)]
        refusals: list[float] = []

        def has_left() -> bool:
            try:
                return _release(server.port) == TWIN
            except urllib.error.HTTPError:
                refusals.append(time.monotonic())
                return False

        started = time.monotonic()
        with path.open("r+b") as file:
            file.write(bytes(size))
        until(has_left)
        took = round(time.monotonic() - started, 1)
        gap = round(refusals[-1] - refusals[0], 2) if refusals else 0.0
        state = until(lambda: (part := ready_parts(operations)["search"]) != "ok" and part)
        after = [target for target in before if has_results(server.port, target)]
    kept = bool(before) and after == before and state == "release-damaged"
    text = f"{path.relative_to(data)}: left after {took} s, /readyz {state}; refused meanwhile for {gap} s; "
    text += f"{len(after)} of {len(before)} searches have results"
    return Seen(kept, text, {"left_s": took, "refused_s": gap})


def has_results(port: int, target: str) -> bool:
    """Tell whether a search is answered with results."""
    status, body = get(port, target)
    return status == 200 and bool(json.loads(body)["results"])


async def _under_traffic(bench: Bench, port: int, act: Callable[[Traffic], object]) -> Traffic:
    """Return what a steady crowd saw before, during and after `act`, which is given what it saw so far."""
    async with traffic(port, bench.names(200), 100) as seen:
        await asyncio.sleep(1)
        await asyncio.to_thread(act, seen)
        await asyncio.sleep(max(2.0, bench.seconds / 3))
    return seen


@row(
    "releases: swaps under load",
    "ten releases published, two workers, 100 requests a second; then `padron release rollback`",
    f"no request fails; all workers serve the one before within {ROLLBACK:.0f} s of the command",
)
def swaps(bench: Bench) -> Seen:
    """Publish to and fro, then go back."""
    data = bench.copy()
    names = [snapshot.current(data), TWIN]
    with bench.service(data, workers=2) as (server, _):

        def change(seen: Traffic) -> None:
            for number in range(10):
                name = names[(number + 1) % 2]
                publish(data, name)
                until(lambda name=name: served(server.port) == {name} <= seen.releases)

        seen = asyncio.run(_under_traffic(bench, server.port, change))
        before = snapshot.current(data)
        started = time.monotonic()
        code, output = padron("release", "rollback", "--data", data)
        until(lambda: before not in served(server.port))
        took = round(time.monotonic() - started, 1)
    kept = code == 0 and not seen.failures and set(seen.statuses) == {200} and seen.releases == set(names)
    text = f"answers {seen.statuses} of {sorted(seen.releases)}, failures {seen.failures}; back after {took} s"
    text += f" ({output.strip()})"
    return Seen(kept and (took <= ROLLBACK or bench.patient), text, {"rollback_s": took})


def served(port: int) -> set[str]:
    """Return the releases that twenty new connections are answered from: those of all workers, almost certainly."""
    return {_release(port) for _ in range(20)}


def _release(port: int) -> str:
    """Return the release that the entity tag of the coverage begins with."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/public/empresas/stats", timeout=30) as answer:
        return str(answer.headers["etag"]).removeprefix('W/"').split(".")[0]


@row(
    "releases: hostile manifest",
    "a store whose manifest of the served release names another release, a folder as a file, 2^60 bytes; then pulls",
    "no file of a release changes; a pull of that release by name ends with an error; the service goes on",
)
def hostile_manifest(bench: Bench) -> Seen:
    """Pull from the store with and without the name of the release."""
    data = bench.copy()
    store = data.parent / "store"
    release = snapshot.current(data)
    code, output = padron("release", "push", store, "--data", data)
    path = store / "releases" / release / "manifest.json"
    manifest = json.loads(path.read_text())
    first = manifest["files"][0]
    additions = {
        "another release": first | {"path": f"releases/{TWIN}.json"},
        "a folder": first | {"path": "snapshots/ar"},
        "2^60 bytes": first | {"path": f"{first['path']}.more", "bytes": 1 << 60},
    }
    faults = [output] if code else []
    before = _identities(data)
    with bench.service(data) as (server, _):
        for name, addition in additions.items():
            path.write_text(json.dumps(manifest | {"files": [*manifest["files"], addition]}))
            for words in ((), (release,)):
                code, output = padron("release", "pull", store, *words, "--data", data)
                if bool(code) != bool(words) or "Traceback" in output:
                    faults.append(f"{name}: pull {' '.join(words)} exit {code}: {output.strip()[-200:]}")
                if _identities(data) != before:
                    faults.append(f"{name}: pull {' '.join(words)} changes files")
                if not answers(server.port) or _release(server.port) != release:
                    faults.append(f"{name}: pull {' '.join(words)} disturbs the service")
    return Seen(not faults, "; ".join(faults) or f"{len(additions)} manifests refused; last: {output.strip()[-160:]}")


def _identities(data: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode, size and time of the last change of every file of the releases."""
    paths = [
        data / "current",
        *(path for part in ("snapshots", "indexes", "releases") for path in (data / part).rglob("*")),
    ]
    return {str(path): (seen.st_ino, seen.st_size, seen.st_mtime_ns) for path in paths if (seen := path.stat())}


# The machine.


@row(
    "disk: full",
    "the data folder on a disk without a free byte: sign up, search, build",
    "search answers; a sign-up is refused as 503; the build leaves the release and says why; doctor tells it",
)
def full_disk(bench: Bench) -> Seen:
    """Fill a small disk."""
    copy = bench.copy()
    disk = copy.parent / "disk"
    disk.mkdir()
    size = sum(path.stat().st_size for path in copy.rglob("*") if path.is_file()) + (24 << 20)
    with mounted("-t", "tmpfs", "-o", f"size={size}", "padron", disk):
        data = disk / "var"
        shutil.copytree(copy, data)
        with bench.service(data) as (server, _):
            with suppress(OSError), (disk / "filler").open("wb") as filler:
                while True:
                    filler.write(bytes(1 << 16))
                    filler.flush()
            public = answers(server.port)
            refused = post(server.port, "/api/account", {"email": "ana@example.com", "password": "correcta Batería 4"})
            alive = get(server.port, "/api/public/empresas/stats")[0]
        before = snapshot.current(data)
        code, output = padron("build", "--data", data)
        examined, findings = doctor(data)
        kept_release = snapshot.current(data) == before
    free = next((line for line in findings.splitlines() if "free" in line), "")
    kept = public and alive == 200 and refused == 503 and code != 0 and "Traceback" not in output and kept_release
    return Seen(
        kept and examined != 0,
        f"search {public}, sign-up {refused}, build exit {code}: {output.strip()[-160:]}; {free}",
    )


@row(
    "disk: read-only",
    "the data folder mounted read-only",
    "the service starts and serves; /readyz says that accounts are not available",
)
def read_only(bench: Bench) -> Seen:
    """Mount the folder read-only."""
    copy = bench.copy()
    mount = copy.parent / "mount"
    mount.mkdir()
    with mounted("--bind", copy, mount):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(mount)], check=True)
        process_folder = copy.parent / "log"
        process_folder.mkdir()
        operations = free_port()
        with serving(mount, process_folder, PADRON_SERVER__OPERATIONS=f"127.0.0.1:{operations}") as server:
            serves = answers(server.port)
            parts = get(operations, "/readyz")[1].decode()
        examined, findings = doctor(mount)
    kept = serves and '"accounts":"ok"' not in parts.replace(" ", "") and examined != 0
    return Seen(kept, f"search {serves}; /readyz {parts[:160]}; doctor: {wrong(findings)}")


def wrong(findings: str) -> str:
    """Return the first line of doctor's that is a fault, else its last."""
    lines = [line.strip() for line in findings.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(("✓", "ok"))), lines[-1] if lines else "")


@row(
    "processes: parent killed",
    "kill -9 of the parent, two workers, then a start on the same port",
    "the workers end too; the next start serves",
)
def parent_killed(bench: Bench) -> Seen:
    """Kill the parent."""
    data = bench.copy()
    with bench.service(data, workers=2) as (server, _):
        workers = children(server.process.pid)
        server.process.kill()
        server.process.wait()
        until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in workers))
        closed = get(server.port, "/healthz")[0] == 0
    with bench.service(data, workers=2) as (server, _):
        again = answers(server.port)
    return Seen(len(workers) == 2 and closed and again, f"{len(workers)} workers gone, next start serves: {again}")


@row(
    "processes: workers killed",
    "kill -9 of each of two workers in turn",
    "each is replaced; an answer can be had at any time; every acknowledged account is there",
)
def workers_killed(bench: Bench) -> Seen:
    """Kill every worker once."""
    data = bench.copy()
    statuses: list[int] = []
    with bench.service(data, workers=2) as (server, operations):
        for number, pid in enumerate(children(server.process.pid)):
            account = {"email": f"ana{number}@example.com", "password": "correcta Batería 4"}
            statuses.append(post(server.port, "/api/account", account))
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: pid not in (now := children(server.process.pid)) and len(now) == 2)
            until(lambda: answers(server.port))
        replaced = [*metric(operations, "padron_workers_replaced").values()]
    accounts = count_accounts(data)
    kept = statuses == [202, 202] and accounts == 2
    return Seen(kept, f"workers replaced {replaced}; sign-ups {statuses}, accounts kept {accounts}")


def count_accounts(data: Path) -> int:
    """Return the number of accounts in the database of a data folder."""
    with sqlite3.connect(data / "accounts.sqlite") as database:
        return int(database.execute("SELECT count(*) FROM accounts").fetchone()[0])


@row(
    "log: dead",
    "standard output on /dev/full; then a release is published, and a company suppressed",
    "the service starts, answers, takes both; /readyz says that the log is not ok; SIGTERM ends it",
)
def dead_log(bench: Bench) -> Seen:
    """Serve without a log."""
    data = bench.copy()
    listed = data.parent / "suppressions.toml"
    listed.write_text("suppressed = []\n")
    with bench.service(data, output=Path("/dev/full"), PADRON_SUPPRESSIONS=str(listed)) as (server, operations):
        served = answers(server.port)
        publish(data, TWIN)
        until(lambda: _release(server.port) == TWIN)
        company = "/api/public/empresas/EC/1790016919001"
        shown, _ = get(server.port, company)
        listed.write_text(
            '[[suppressed]]\ncountry = "EC"\nidentifier = "1790016919001"\nreason = "x"\ndate = 2026-01-01\n'
        )
        until(lambda: get(server.port, company)[0] == 404)
        state = until(lambda: (part := ready_parts(operations)["log"]) != "ok" and part)
        code = server.stop()
    return Seen(served and shown == 200 and code == 0, f"search {served}, both taken; log {state}; exit {code}")


@row(
    "log: reader stopped",
    "standard output is a pipe that nobody reads; 5,000 requests, then kill -9 of the worker",
    "all are answered; /readyz says `not-read`; the worker is replaced; SIGTERM ends the service",
)
def unread_log(bench: Bench) -> Seen:
    """Stop reading the log."""
    data = bench.copy()
    pipe = data.parent / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    count = failures = 0
    with bench.service(data, output=pipe) as (server, operations):
        while count + failures < 5_000:
            took, failed = asyncio.run(ask(server.port, bench.names(200), 2, 10_000))
            count, failures = count + len(took), failures + failed
        state = until(lambda: (part := ready_parts(operations)["log"]) != "ok" and part)
        workers = children(server.process.pid)
        os.kill(workers[0], signal.SIGKILL)
        until(lambda: (now := children(server.process.pid)) and now != workers)
        served = until(lambda: answers(server.port))
        code = server.stop()
    os.close(reader)
    kept = not failures and state == "not-read" and served and code == 0
    return Seen(kept, f"{count} answers, {failures} failures; log {state}; worker replaced; exit {code}")


@row(
    "clock: jumps",
    "the clock of the service set a year back and two years forward (faketime)",
    "search answers; doctor says that the clock is earlier than the release",
)
def clock(bench: Bench) -> Seen:
    """Start with another clock."""
    data = bench.copy()
    library = next(Path("/usr/lib").rglob("libfaketime.so.1"))
    seen: list[str] = []
    kept = True
    for shift in ("-365d", "+730d"):
        fake = {"LD_PRELOAD": str(library), "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        with bench.service(data, **fake) as (server, operations):
            served = answers(server.port)
            ready = get(operations, "/readyz")[0]
        code, findings = padron("doctor", "--data", data, "--port", str(free_port()), **fake)
        is_told = "earlier than the published release" in findings
        kept = kept and served and ready == 200 and is_told == (shift == "-365d")
        seen.append(f"{shift}: search {served}, /readyz {ready}, doctor {code} {'tells it' if is_told else 'silent'}")
    return Seen(kept, "; ".join(seen))


@row(
    "accounts: lost",
    "the database of accounts and the secret truncated, flipped, emptied, removed",
    "the public interface answers; /readyz or doctor tells what is wrong and names the remedy",
)
def accounts_lost(bench: Bench) -> Seen:
    """Break what accounts need."""
    faults: list[str] = []
    tried = [(name, way) for name in ("accounts.sqlite", "secret") for way in (*DAMAGES, "removed")]
    for name, way in tried:
        data = _with_account(bench)
        damage(data / name, way)
        faults += [f"{name} {way}: {fault}" for fault in _accounts_told(bench, data)]
    return Seen(not faults, "; ".join(faults) or f"{len(tried)} times told, search answered each time")


def _with_account(bench: Bench) -> Path:
    """Return a data folder with an account, in which nothing runs."""
    data = bench.copy()
    with bench.service(data) as (server, _):
        post(server.port, "/api/account", {"email": "ana@example.com", "password": "correcta Batería 4"})
    return data


def _accounts_told(bench: Bench, data: Path) -> Iterator[str]:
    """Yield a fault if search is not answered, or neither /readyz nor doctor tells that accounts are not in order."""
    code, findings = doctor(data)
    with bench.service(data) as (server, operations):
        served = answers(server.port)
        state = ready_parts(operations)["accounts"]
    if not served or (state == "ok" and code == 0):
        yield f"search {served}, /readyz accounts {state}, doctor {code} {wrong(findings)}"


@row(
    "accounts: foreign",
    "the database of accounts of another deployment in the place of ours",
    "the public interface answers; /readyz or doctor tells it",
)
def accounts_foreign(bench: Bench) -> Seen:
    """Take the database of another deployment."""
    data, other = _with_account(bench), _with_account(bench)
    shutil.copy(other / "accounts.sqlite", data / "accounts.sqlite")
    faults = [*_accounts_told(bench, data)]
    return Seen(not faults, "; ".join(faults) or f"told, search answered; doctor: {wrong(doctor(data)[1])}")


@row(
    "databases: frozen",
    "SIGSTOP to PostgreSQL with the accounts and Redis with the limits; later SIGCONT",
    f"others' p99 ≤ {OTHERS_P99:.0f} ms, /healthz ≤ {HEALTH_P99:.0f} ms, none fails; then keys are answered again",
)
def databases_frozen(bench: Bench) -> Seen:
    """Freeze both; the anonymous may ask without end, for the limits have to be on."""
    data = bench.copy()
    with servers.postgres() as database, servers.redis() as (limits, _):
        variables = {"PADRON_ACCOUNTS__URL": database, **counting_in(limits, data)}
        with bench.service(data, **variables) as (server, operations):
            key = new_key(server, data)
            keyed = partial(get, server.port, "/api/v1/search?q=petrobras", key)
            before, _ = keyed()
            asyncio.run(ask(server.port, bench.names(), 2, 100))
            with frozen("postgres", "redis-server"):
                seen = asyncio.run(ask_beside(bench, server.port, operations))
                started = time.monotonic()
                meanwhile, _ = keyed()
                waited = round(time.monotonic() - started, 1)
                started = time.monotonic()
                refused = post(server.port, "/api/account", {"email": "eva@example.com", "password": PASSWORD})
                signing_up = round(time.monotonic() - started, 1)
                parts = ready_parts(operations)
            until(lambda: keyed()[0] == 200)
    states = f"accounts {parts['accounts']}, limits {parts['limits']}"
    text = f"{seen.text}; a keyed request {meanwhile} after {waited} s, a sign-up {refused} after {signing_up} s; "
    text += f"/readyz {states}; then a keyed request is answered again"
    figures = {**seen.figures, "keyed_s": waited, "sign_up_s": signing_up}
    return Seen(seen.kept and before == 200, text, figures)


@contextmanager
def frozen(*names: str) -> Iterator[None]:
    """Stop the programs of these names that this process has started, and what they started, until the block ends."""
    parents = [pid for pid in children(os.getpid()) if Path(f"/proc/{pid}/comm").read_text().strip() in names]
    pids = [pid for parent in parents for pid in (parent, *children(parent))]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@row(
    "machine: lost",
    "backup, everything removed, restore into an empty folder with a copied release",
    f"every account is there; the service answers within {RESTORED:.0f} s",
)
def machine_lost(bench: Bench) -> Seen:
    """Lose the machine."""
    data = bench.copy()
    with bench.service(data) as (server, _):
        post(server.port, "/api/account", {"email": "ana@example.com", "password": "correcta Batería 4"})
        backup, store = data.parent / "backup", data.parent / "store"
        codes = [padron("accounts", "backup", backup, "--data", data)[0]]
    codes.append(padron("release", "push", store, "--data", data)[0])
    shutil.rmtree(data)
    started = time.monotonic()
    codes.append(padron("accounts", "restore", backup, "--data", data)[0])
    codes.append(padron("release", "pull", store, "--data", data)[0])
    with bench.service(data) as (server, operations):
        served = answers(server.port)
        took = round(time.monotonic() - started, 1)
        parts = get(operations, "/readyz")[1].decode().replace(" ", "")
    accounts = count_accounts(data)
    kept = codes == [0] * 4 and served and accounts == 1 and '"accounts":"ok"' in parts
    return Seen(
        kept and (took <= RESTORED or bench.patient),
        f"{accounts} account, serves after {took} s",
        {"restored_s": took},
    )


# The soak.


def soak(bench: Bench, minutes: float) -> Seen:
    """Serve a mix for so long: searches, pages, accounts, hostile clients, a swap a minute; memory stays flat."""
    data = bench.copy()
    names = [snapshot.current(data), TWIN]
    memory: list[float] = []
    failures = count = 0
    with bench.service(data, workers=2) as (server, _), ExitStack() as stack:
        for kind in ("silent", "slow body"):
            stack.enter_context(hostile_crowd(kind, server.port, 200))
        paths = [*bench.names(20_000), "/es", "/en/search?q=petrobras", "/es/nada", "/api/public/empresas/stats"]
        for minute in range(max(3, round(minutes))):
            took, failed = asyncio.run(ask(server.port, [path for path in paths if path != "/es/nada"], 60, 150))
            failures, count = failures + failed, count + len(took)
            memory.append(round(sum(private_mib(pid) for pid in children(server.process.pid)), 1))
            print(f"minute {minute + 1}: {memory[-1]} MiB in two workers, p99 {p99(took)} ms", flush=True)
            publish(data, names[(minute + 1) % 2])
    third = max(1, len(memory) // 3)
    growth = round(max(memory[-third:]) / max(memory[third : 2 * third]), 3)
    text = f"{count} answers, {failures} failures, {len(memory)} swaps; last third to middle third of memory {growth}"
    return Seen(failures == 0 and growth <= 1.05, text, {"growth": growth, "mib": memory[-1], "answers": count})


def main() -> int:
    """Run what the arguments say; 1 if a row is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--only", nargs="+", choices=sorted(ROWS), default=list(ROWS))
    parser.add_argument("--connections", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--patient", action="store_true", help="judge no milliseconds, and damage each file in one way")
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    parser.add_argument("--list", action="store_true", help="print the rows")
    parser.add_argument("--keep", action="store_true", help="keep the result")
    given = parser.parse_args()
    raise_file_limit()
    if given.list:
        print("\n".join(ROWS))
        return 0
    with tempfile.TemporaryDirectory(dir=given.data.absolute().parent, prefix=".faults-") as scratch:
        bench = Bench(given.data, Path(scratch), given.connections, given.seconds, given.patient)
        if given.soak:
            rows = [{"name": "soak", "minutes": given.soak, **soak(bench, given.soak)._asdict()}]
            print(rows[0])
        else:
            rows = table(bench, given.only)
    if given.keep:
        keep("soak" if given.soak else "faults", {"rows": rows, "connections": given.connections})
    return 0 if all(line["kept"] for line in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
