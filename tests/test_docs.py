"""The documents are true: what the README shows is run, and what the documents point to is there."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "clients" / "python" / "README.md"]
COMITIUM = [sys.executable, "-c", "from cli import main; main()"]
PATIENCE = 60
"""Seconds after which a test that hangs is ended."""


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def tours(text: str, language: str) -> list[str]:
    """Those of them that are for running."""
    marked = f"<!-- tour: run by tests/test_docs.py -->\n```{language}\n"
    return [
        block for block in blocks(text, language) if marked + block in text or block.startswith("# tour: run by tests/")
    ]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server as `comitium serve` starts it, on a free port."""
    folder = tmp_path_factory.mktemp("docs")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])}
    with (folder / "log").open("wb") as log:
        command = [*COMITIUM, "serve", "--port", str(port), "--store", f"sqlite:{folder / 'docs.sqlite'}"]
        server = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        try:
            _await(f"http://127.0.0.1:{port}/readyz", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            assert server.wait(PATIENCE) == 0


def _await(url: str, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            urlopen(url, timeout=1).close()
        except (URLError, OSError):
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"no server at {url}")


def run(command: list[str], url: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tour_with_curl_does_what_it_says(url, tmp_path):
    (tour,) = tours(README, "sh")
    script = tour.replace("http://127.0.0.1:8000", url).replace(".venv/bin/python", sys.executable)
    told = run(["bash", "-eu", "-c", script], url, tmp_path)
    assert '"receipt"' in told
    assert '"type":"/problems/refused"' in told or '"type": "/problems/refused"' in told
    assert '"status":"playing"' in told
    assert '"entries"' in told
    assert told.count('"view"') >= 1, "the stream begins with the whole view"


def test_the_client_in_python_plays_to_the_end(url, tmp_path):
    (tour,) = tours(README, "python")
    told = run([sys.executable, "-c", tour.replace("http://127.0.0.1:8000", url)], url, tmp_path)
    assert told.startswith("winners: [")


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_what_a_document_points_to_is_there(document):
    text = document.read_text("utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) if "://" not in target]
    missing = [target for target in targets if not (document.parent / target).exists()]
    assert not missing


def test_the_readme_names_the_commands_that_there_are(tmp_path):
    told = run([*COMITIUM, "--help"], "", tmp_path)
    for command in re.findall(r"`(\w+)`", README.split("lists the commands:")[1].split(".")[0]):
        assert command in told


@pytest.mark.parametrize("target", ["setup", "serve", "test", "lint", "bench", "soak"])
def test_the_makefile_has_what_the_documents_name(target):
    assert re.search(rf"^{target}:.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
