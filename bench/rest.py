"""JSON over one kept connection: what setting up a measurement needs, and the cost curve."""

import http.client
from typing import Any

import msgspec

from bench.frames import Broken


class Rest:
    """A client of one server."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def get(self, path: str, token: str = "") -> bytes:
        """The body of a good answer."""
        return self.ask("GET", path, token, None)

    def post(self, path: str, body: dict[str, Any], token: str = "") -> dict[str, Any]:
        """What the server made of it."""
        made: dict[str, Any] = msgspec.json.decode(self.ask("POST", path, token, msgspec.json.encode(body)))
        return made

    def ask(self, method: str, path: str, token: str, body: bytes | None) -> bytes:
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise Broken(f"{method} {path}: {answer.status} {said[:500].decode(errors='replace')}")
        return said

    def close(self) -> None:
        self.connection.close()
