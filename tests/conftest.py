"""What holds of every test."""

import logging
from collections.abc import Iterator

import pytest

from tests.errors import Errors


@pytest.fixture(autouse=True)
def errors(request: pytest.FixtureRequest) -> Iterator[Errors]:
    """What was logged as an error in this process, by the server or a library: nothing, at the end.

    A test that provokes an error asks for this, looks at what was said and clears it; or it is marked
    `expects_errors("rules_failed")`, and only other errors fail it. Without words the mark lets any error pass.
    """
    found, root = Errors(), logging.getLogger()
    root.addHandler(found)
    yield found
    assert found in root.handlers, "somebody has taken away what listens for errors"
    root.removeHandler(found)
    assert not unexpected(found, list(request.node.iter_markers("expects_errors")))


def unexpected(found: Errors, marks: list[pytest.Mark]) -> list[str]:
    """What no mark of the test tells of."""
    if any(not mark.args for mark in marks):
        return []
    words = [word for mark in marks for word in mark.args]
    return [said for said in found.said() if not any(word in said for word in words)]
