"""Holds every answer of a server under test to the OpenAPI document."""

import json
import re
from functools import cache
from typing import Any

import httpx
import jsonschema_rs
import msgspec

from server import openapi


def check(answer: httpx.Response) -> None:
    """The answer is one that the document tells of: its status, headers, media type and body.

    HEAD, methods that an address does not take and addresses that do not exist are not in the document.
    """
    found = operation(answer.request.method, answer.request.url.path)
    if found is None or answer.status_code == 405:
        return
    told = found["responses"].get(str(answer.status_code))
    assert told, f"{found['operationId']} does not tell of a {answer.status_code}: {answer.text}"
    for name, header in told["headers"].items():
        if openapi.document()["components"]["headers"][header["$ref"].rpartition("/")[2]].get("required"):
            assert name in answer.headers, f"{found['operationId']} lacks {name}"
    _check_content(found["operationId"], told.get("content", {}), answer)


def _check_content(name: str, content: dict[str, Any], answer: httpx.Response) -> None:
    media = answer.headers.get("content-type", "").partition(";")[0]
    if not content:
        assert not answer.content
        return
    media = "application/msgpack" if media.endswith("msgpack") else media
    assert media in content, f"{name} does not tell of {media}"
    if media.endswith("json") and media != "application/x-ndjson":
        validator(json.dumps(content[media]["schema"])).validate(answer.json())
    elif media == "application/msgpack":
        validator(json.dumps(content[media]["schema"])).validate(_unpacked(msgspec.msgpack.decode(answer.content)))


def _unpacked(value: Any) -> Any:
    """The same as it is in JSON: an entry is no string of bytes."""
    match value:
        case bytes():
            return json.loads(value)
        case dict():
            return {name: _unpacked(each) for name, each in value.items()}
        case list():
            return [_unpacked(each) for each in value]
        case _:
            return value


def operation(method: str, path: str) -> dict[str, Any] | None:
    """What the document says of the request."""
    for pattern, methods in _patterns():
        if pattern.fullmatch(path):
            found: dict[str, Any] | None = methods.get(method.lower())
            return found
    return None


@cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Fixed addresses before those with parameters."""
    paths = sorted(openapi.document()["paths"].items(), key=lambda item: item[0].count("{"))
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), methods) for path, methods in paths]


@cache
def validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    """A validator of a schema of the document, which may point to others in it."""
    whole = {**json.loads(schema), "components": openapi.document()["components"]}
    return jsonschema_rs.Draft202012Validator(whole)


def component(name: str) -> jsonschema_rs.Draft202012Validator:
    """A validator of the schema of that name."""
    return validator(json.dumps({"$ref": f"#/components/schemas/{name}"}))
