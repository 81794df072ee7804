"""Both clients tell where the files of the whole directory are, and what they hold."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from pathlib import Path

import httpx2

from node_tools import CLIENT, TOOLS, run
from padron.countries import REGISTRY
from padron.ingest.export import export
from padron.releases import snapshot
from padron.releases.suppression import Suppressions
from padron_client import AsyncPadron, BulkFile, Padron
from process import serving

KEY = "pdr_live_0000000000000000000000000000000case"


async def asked(base: str) -> list[BulkFile]:
    async with AsyncPadron(api_key=KEY, base_url=base) as padron:
        return await padron.bulk_files()


def test_both_clients_name_the_files_of_an_export(small_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    release = snapshot.current(data)
    export(data, release, REGISTRY, Suppressions(), "https://padron.example", snapshot.export_folder(data, release, ""))
    run("npm", "run", "build")
    with serving(data, tmp_path) as server:
        base = server.url
        with Padron(api_key=KEY, base_url=base) as padron:
            files = padron.bulk_files()
        assert asyncio.run(asked(base)) == files
        program = tmp_path / "files.mjs"
        program.write_text(
            f'import {{ createFileClient }} from "{CLIENT}/dist/files.js";\n'
            f"const files = createFileClient({json.dumps({'apiKey': KEY, 'baseUrl': base})});\n"
            "console.log(JSON.stringify(await files.bulkFiles()));\n"
        )
        assert json.loads(run(TOOLS / "node", program)) == [file.to_dict() for file in files]
        downloaded = [httpx2.get(file.url).content for file in files]
    assert {file.country_code for file in files} == set(snapshot.read_release(data, release).snapshots)
    held = [(file.bytes, file.sha256) for file in files]
    assert held == [(len(content), hashlib.sha256(content).hexdigest()) for content in downloaded]
