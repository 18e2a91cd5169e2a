"""What holds of every test."""

import logging
from collections.abc import Iterator

import pytest

from tests.errors import Errors


@pytest.fixture(autouse=True)
def errors(request: pytest.FixtureRequest) -> Iterator[Errors]:
    """What was logged as an error in this process, by the server or a library: nothing, at the end.

    A test that provokes an error asks for this, looks at what was said and clears it. Where it cannot say which errors
    there will be, it is marked `expects_errors`.
    """
    found, root = Errors(), logging.getLogger()
    root.addHandler(found)
    yield found
    assert found in root.handlers, "somebody has taken away what listens for errors"
    root.removeHandler(found)
    assert request.node.get_closest_marker("expects_errors") or not found.said()
