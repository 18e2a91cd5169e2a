"""The OpenAPI document.

Paths, parameters and words come from the handlers, through Litestar; the schemas from the structs that are read and
sent, through msgspec, so that neither can drift. What the handlers declare besides (`refuses`, `tells`, `needs`,
`offers`) and what stands in openapi.toml is put together with them here.
"""

import tomllib
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.routes import HTTPRoute

from server.problems import CODES, KINDS, MEDIA_TYPE, Code, Problem
from server.rest.common import Call
from server.rest.documented import ALWAYS
from server.rest.media import ANSWERS, ARCHIVE, JSON, MSGPACK, STREAMS
from server.wire.shapes import ACTION, PROBLEM, FirstFrame, Frame

Json = dict[str, Any]

REF = "#/components/schemas/{name}"

_SAID: Json = tomllib.loads(Path(__file__).with_name("openapi.toml").read_text("utf-8"))


@cache
def page() -> bytes:
    """The document as it is served."""
    return msgspec.json.encode(document())


@cache
def document() -> Json:
    """The document."""
    app = _app()
    handlers = dict(_handlers(app))
    raw = msgspec.to_builtins(app.openapi_schema.to_schema())
    paths: Json = {}
    for (path, method), handler in handlers.items():
        always = ALWAYS if path.startswith("/v1/") else ()
        paths.setdefault(path, {})[method] = _operation(handler, raw["paths"][path][method], always)
    return {
        "openapi": "3.1.0",
        "info": _SAID["info"],
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in _SAID["tags"].items()],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": _SAID["security"]},
            "headers": _SAID["headers"],
            "schemas": _schemas(list(handlers.values())),
        },
    }


def _app() -> Litestar:
    """The routes in an application of their own, which serves nobody."""
    from server.rest.routes import DEPENDENCIES, ROUTES, SIGNATURE_TYPES  # noqa: PLC0415  (one of them serves this)

    return Litestar(
        ROUTES,
        dependencies=DEPENDENCIES,
        signature_types=SIGNATURE_TYPES,
        request_class=Call,
        logging_config=None,
        openapi_config=OpenAPIConfig("", "", path="/schema", operation_id_creator=_operation_id),
    )


def _handlers(app: Litestar) -> Iterator[tuple[tuple[str, str], HTTPRouteHandler]]:
    """Everything that the document speaks of, by path and method."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for method, (handler, _) in sorted(route.route_handler_map.items()):
                if handler.resolve_include_in_schema():
                    yield (route.path_format, method.lower()), handler


def _operation_id(handler: HTTPRouteHandler, *_: object) -> str:
    first, *others = handler.fn.__name__.split("_")
    return first + "".join(word.title() for word in others)


# --- One operation ------------------------------------------------------------------------------------


def _operation(handler: HTTPRouteHandler, raw: Json, always: tuple[Code, ...]) -> Json:
    text = " ".join((handler.fn.__doc__ or "").split())
    body = _request_body(handler, raw["operationId"])
    return {
        "operationId": raw["operationId"],
        "tags": raw["tags"],
        "summary": text.partition(". ")[0].partition("; ")[0].rstrip("."),
        "description": text,
        "security": _security(handler, has_callers=bool(always)),
        "parameters": [_parameter(each) for each in raw.get("parameters", [])],
        **({"requestBody": body} if body else {}),
        "responses": {**_success(handler, raw["operationId"]), **_refusals(handler, always)},
    }


def _security(handler: HTTPRouteHandler, *, has_callers: bool) -> list[Json]:
    """A token with these scopes; or one if you like; or none."""
    if "needs" in handler.opt:
        return [{"bearer": list(handler.opt["needs"])}]
    return [{}, {"bearer": []}] if has_callers else []


def _parameter(raw: Json) -> Json:
    """A parameter may be left out, but never null."""
    schema = {name: value for name, value in raw["schema"].items() if name != "description"}
    for choice in schema.pop("oneOf", []):
        if choice["type"] != "null":
            schema = {**choice, **schema}
    if isinstance(schema.get("type"), list):
        schema["type"] = next(kind for kind in schema["type"] if kind != "null")
        schema["enum"] = [value for value in schema.get("enum", []) if value is not None]
    return {
        "name": raw["name"],
        "in": raw["in"],
        "required": raw["required"],
        "description": raw["description"],
        "schema": schema,
    }


def _request_body(handler: HTTPRouteHandler, operation: str) -> Json | None:
    kind = body_kind(handler)
    if handler.opt.get("takes") == "archive":
        return {
            "required": True,
            "content": {ARCHIVE[0]: {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
        }
    if kind is None and "takes" not in handler.opt:
        return None
    schema = {"$ref": REF.format(name="Action" if kind is None else kind.__name__)}
    examples = {name: {"value": value} for name, value in _SAID["examples"][operation].items()}
    return {
        "required": True,
        "content": {JSON: {"schema": schema, "examples": examples}, MSGPACK: {"schema": schema}},
    }


def body_kind(handler: HTTPRouteHandler) -> Any:
    """What the handler takes."""
    field = handler.parsed_data_field
    return None if field is None else field.annotation


def answer_kind(handler: HTTPRouteHandler) -> Any:
    """What the handler gives."""
    hint = typing.get_type_hints(handler.fn)["return"]
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Response else hint


# --- Answers ------------------------------------------------------------------------------------------


def _success(handler: HTTPRouteHandler, operation: str) -> Json:
    headers = {name: _header(name) for name in (*handler.opt.get("tells", ()), "X-Request-Id")}
    found: Json = {"description": _meaning(handler.status_code), "headers": headers}
    if content := _content(handler):
        found["content"] = content
    if links := _SAID["links"].get(operation):
        found["links"] = {name: {"operationId": name, "parameters": values} for name, values in links.items()}
    answers = {str(handler.status_code): found}
    if "ETag" in headers:
        answers["304"] = {"description": "You have it already.", "headers": headers}
    return answers


def _meaning(status: int) -> str:
    return {201: "Made, and durable.", 204: "Done."}.get(status, "What was asked for.")


def _content(handler: HTTPRouteHandler) -> Json:
    kind = answer_kind(handler)
    if kind is type(None):
        return {}
    offers = handler.opt.get("offers", ANSWERS)
    others = {media: {"schema": {"type": "string"}} for media in offers if media not in (*ANSWERS, *STREAMS)}
    if not _is_struct(kind):
        return others or {"text/plain": {"schema": {"type": "string"}}}
    schema = {"$ref": REF.format(name=kind.__name__)}
    streams = {media: _stream() for media in STREAMS if media in offers}
    return {JSON: {"schema": schema}, MSGPACK: {"schema": schema}, **streams, **others}


def _stream() -> Json:
    text = "Frames that go on until the table or the server ends: first `FirstFrame` or what was missed, then `Frame`."
    return {"schema": {"type": "string", "description": text}}


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _header(name: str) -> Json:
    return {"$ref": f"#/components/headers/{name}"}


def _refusals(handler: HTTPRouteHandler, always: tuple[Code, ...]) -> Json:
    """Problems by status."""
    found: dict[int, list[Code]] = {}
    declared = {*handler.opt.get("refuses", ()), *always}
    for code in CODES:
        if code in declared:
            found.setdefault(KINDS[code].status, []).append(code)
    return {str(status): _refusal(status, codes) for status, codes in found.items()}


def _refusal(status: int, codes: list[Code]) -> Json:
    names = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}.get(status, ())
    schema: Json = {"allOf": [{"$ref": REF.format(name="Problem")}, {"properties": {"code": {"enum": codes}}}]}
    return {
        "description": " ".join(f"`{code}`: {KINDS[code].means.en}" for code in codes),
        "headers": {name: _header(name) for name in (*names, "X-Request-Id")},
        "content": {
            MEDIA_TYPE: {
                "schema": schema,
                "examples": {code: {"value": Problem(code).document("en")} for code in codes},
            }
        },
    }


# --- Schemas ------------------------------------------------------------------------------------------


def _schemas(handlers: list[HTTPRouteHandler]) -> Json:
    kinds = [kind for each in handlers for kind in (body_kind(each), answer_kind(each)) if _is_struct(kind)]
    _, found = msgspec.json.schema_components(dict.fromkeys([*kinds, Frame, FirstFrame]), ref_template=REF)
    return {"Problem": PROBLEM, "Action": ACTION, **dict(sorted(found.items()))}
