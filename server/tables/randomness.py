"""Random bytes from the system's generator, fetched for many entries at once: a call of its own for each is what costs."""

import os

SIZE = 32
STOCK = 128


class Salts:
    """Each handed out once, then forgotten."""

    def __init__(self) -> None:
        self._stock = b""
        self._at = 0

    def take(self) -> bytes:
        """32 fresh random bytes."""
        if self._at >= len(self._stock):
            self._stock, self._at = os.urandom(SIZE * STOCK), 0
        self._at += SIZE
        return self._stock[self._at - SIZE : self._at]


fresh = Salts().take
"""32 fresh random bytes; for the event loop's thread alone."""
