"""The command `comitium`."""

import uvicorn

from server.serve import serve


def main() -> None:
    serve()


__all__ = ["main", "uvicorn"]
