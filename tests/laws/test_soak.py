"""The laws over many more games than in the tests of every day."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.laws.cases import SEEDS, Case, every_case, every_setup

MORE = 24
"""Further games of each setup."""


def laws() -> Iterator[Callable[[Case], None]]:
    """Every test that holds of every case."""
    for file in sorted(Path(__file__).parent.glob("test_law_*.py")):
        for name, law in vars(importlib.import_module(f"tests.laws.{file.stem}")).items():
            if name.startswith("test_") and every_case.mark in getattr(law, "pytestmark", ()):
                yield law


@pytest.mark.soak
@every_setup
def test_the_laws_hold_in_many_games(case):
    for seed in range(SEEDS, SEEDS + MORE):
        for law in laws():
            law(case._replace(seed=seed))


def test_the_campaign_knows_the_laws():
    assert len(list(laws())) >= 20
