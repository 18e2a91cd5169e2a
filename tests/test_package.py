"""What is built is tried: the wheel alone, in an environment that has its dependencies and nothing of this folder."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PATIENCE = 180
"""Seconds after which a test that hangs is ended."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A Python that sees the wheel and the dependencies. Paths in PYTHONPATH read no .pth file, so this folder stays out."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    (wheel,) = folder.glob("comitium-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    venv.create(folder / "env", with_pip=False)
    paths = [str(folder / "site"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    return folder / "env" / "bin" / "python", environment


def run(installed: tuple[Path, dict[str, str]], folder: Path, *arguments: str) -> str:
    python, environment = installed
    command = [str(python), "-c", "from cli import main; main()", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_everything_but_the_tests(installed, tmp_path):
    python, environment = installed
    code = "import cli, games.tribunal, comitium_client; print(cli.__file__, games.tribunal.__file__, comitium_client.__file__)"
    found = subprocess.run(
        [str(python), "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert str(ROOT) not in found.stdout


def test_the_wheel_knows_its_games(installed, tmp_path):
    assert "tribunal" in run(installed, tmp_path, "games").lower()


def test_the_wheel_plays_a_whole_demo_in_both_languages(installed, tmp_path):
    assert "head" in run(installed, tmp_path, "demo", "--seats", "4").lower()
    assert "有罪" in run(installed, tmp_path, "demo", "--seats", "4", "--language", "ja")


def test_the_wheel_has_its_decks(installed, tmp_path):
    (tmp_path / "mine.toml").write_text(run(installed, tmp_path, "decks", "show", "house"), "utf-8")
    assert "This deck can be used" in run(installed, tmp_path, "decks", "check", "mine.toml")
