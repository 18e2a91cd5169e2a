"""The AsyncAPI document of the socket: words from asyncapi.toml, schemas from the structs that are read and sent."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from server.wire.shapes import ACTION, PROBLEM, ClientFrame, FirstFrame, Frame, Trouble
from server.wire.socket_frames import Ack, Login

Json = dict[str, Any]

PAYLOADS: dict[str, type[msgspec.Struct]] = {
    kind.__name__: kind for kind in (FirstFrame, Frame, Ack, Trouble, ClientFrame, Login)
}

_SAID: Json = tomllib.loads(Path(__file__).with_name("asyncapi.toml").read_text("utf-8"))
_CHANNEL = "#/channels/table"


@cache
def page() -> bytes:
    """The document as it is served."""
    return msgspec.json.encode(document())


def document() -> Json:
    """The document."""
    sent, received = _SAID["sent"], _SAID["received"]
    return {
        "asyncapi": "3.0.0",
        "info": _SAID["info"],
        "defaultContentType": "application/json",
        "servers": {"here": {**_SAID["server"], "security": _security()}},
        "channels": {"table": {**_SAID["channel"], "messages": _refs([*sent, *received], "#/components/messages")}},
        "operations": {
            "tell": {
                "action": "send",
                "channel": {"$ref": _CHANNEL},
                "summary": "What the server sends.",
                "messages": _each("first", "entry", "ack", "trouble"),
            },
            "act": {
                "action": "receive",
                "channel": {"$ref": _CHANNEL},
                "summary": "What the client sends.",
                "messages": _each("action"),
                "reply": {"channel": {"$ref": _CHANNEL}, "messages": _each("ack", "trouble")},
            },
            "logIn": {
                "action": "receive",
                "channel": {"$ref": _CHANNEL},
                "summary": "Who the client is, if it could not say so before.",
                "messages": _each("login"),
                "reply": {"channel": {"$ref": _CHANNEL}, "messages": _each("first", "trouble")},
            },
        },
        "components": {
            "messages": {name: _message(name, said) for name, said in {**sent, **received}.items()},
            "schemas": _schemas(),
            "securitySchemes": _SAID["security"],
        },
    }


def _security() -> list[Json]:
    return [{"$ref": f"#/components/securitySchemes/{name}"} for name in _SAID["security"]]


def _refs(names: list[str], where: str) -> Json:
    return {name: {"$ref": f"{where}/{name}"} for name in names}


def _each(*names: str) -> list[Json]:
    return [{"$ref": f"{_CHANNEL}/messages/{name}"} for name in names]


def _message(name: str, said: Json) -> Json:
    example = {"examples": [{"payload": said["example"]}]} if "example" in said else {}
    return {
        "name": name,
        "title": said["payload"],
        "summary": said["summary"],
        "payload": {"$ref": f"#/components/schemas/{said['payload']}"},
        **example,
    }


def _schemas() -> Json:
    _, found = msgspec.json.schema_components(PAYLOADS.values(), ref_template="#/components/schemas/{name}")
    return {"Problem": PROBLEM, "Action": ACTION, **dict(sorted(found.items()))}
