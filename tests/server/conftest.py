"""Fixtures of the server's tests; `harness` says what they give.

`rest`: a server in this process. `served`: a real one on a free port. `new_rest(**settings)`, `new_served(**settings)`:
further ones, set up differently. They stop before `tests/conftest.py` looks whether an error was logged.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server.settings import Settings
from tests.errors import Errors
from tests.server.harness import Rest, Served


@pytest.fixture
def new_rest(errors: Errors) -> Iterator[Callable[..., Rest]]:
    """Servers in this process, with these settings; also `bots` and `store`."""
    with ExitStack() as open_ones:

        def new(bots: Any = None, store: Any = None, **settings: Any) -> Rest:
            return open_ones.enter_context(Rest(Settings(store="memory:", **settings), bots, store))

        yield new


@pytest.fixture
def rest(new_rest: Callable[..., Rest]) -> Rest:
    """A server in this process."""
    return new_rest()


@pytest.fixture
def new_served(errors: Errors) -> Iterator[Callable[..., Served]]:
    """Servers under uvicorn, with these settings; also `bots`."""
    with ExitStack() as open_ones:

        def new(bots: Any = None, **settings: Any) -> Served:
            return open_ones.enter_context(Served(Settings(**{"store": "memory:", "port": 0, **settings}), bots))

        yield new


@pytest.fixture
def served(new_served: Callable[..., Served]) -> Served:
    """A server under uvicorn."""
    return new_served()
