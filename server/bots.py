"""What the server asks of whoever runs house bots."""

from typing import Protocol


class BotHost(Protocol):
    """Whoever runs house bots. They speak the wire like any client, so all the server does is tell of their seats."""

    names: tuple[str, ...]

    def seated(self, table: str, seat: int, bot: str, token: str) -> None:
        """A house bot of that name sits there and may speak with that token. Told again after a restart."""
        ...


class NoBots:
    """A server without house bots."""

    names: tuple[str, ...] = ()

    def seated(self, table: str, seat: int, bot: str, token: str) -> None:
        """Never called: no name is accepted."""
