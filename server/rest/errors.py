"""Every error as a problem document."""

from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException

from server.problems import MEDIA_TYPE, Code, Problem, language_of
from server.refusals import problem_of
from server.rest.visits import live_in
from server.wire.coding import encode

STATUS_PROBLEMS: dict[int, Code] = {
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
}
"""What the framework finds by itself."""

AnyRequest = Request[Any, Any, Any]


def on_error(request: AnyRequest, error: Exception) -> Response[bytes]:
    """The answer to whatever went wrong."""
    if isinstance(error, HTTPException) and error.status_code in STATUS_PROBLEMS:
        problem = _found_by_framework(request, error)
    else:
        problem = problem_of(error, live_in(request.state))
    request.app.state.site.commands.metrics.problem(problem.code)
    language = language_of(request.headers.get("accept-language"))
    headers = {"Cache-Control": "no-store", "Content-Language": language, **problem.headers}
    body = encode("json", problem.document(language))
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def _found_by_framework(request: AnyRequest, error: HTTPException) -> Problem:
    code = STATUS_PROBLEMS[error.status_code]
    match code:
        case "malformed":
            return _misfit(request, error)
        case "not_found":
            return Problem("not_found", "no_such_path")
        case "method_not_allowed":
            allowed = (error.headers or {}).get("allow", "").replace("websocket", "")
            return Problem(code, "methods", headers=error.headers, allowed=allowed or "WebSocket")
        case _:
            return Problem(code, headers=error.headers)


def _misfit(request: AnyRequest, error: HTTPException) -> Problem:
    """A parameter that is missing, or not what it has to be. Of several the first is told."""
    found = error.extra[0] if isinstance(error.extra, list) and error.extra else {}
    name = _name_of(request, str(found.get("key", "")))
    match found.get("source"):
        case "header":
            return Problem("malformed", "bad_header", header=name)
        case _ if name in request.query_params:
            return Problem("malformed", "bad_query", parameter=name, value=_sent(request, name))
        case _:
            return Problem("malformed", "not_readable", why=str(found.get("message") or error.detail))


def _name_of(request: AnyRequest, field: str) -> str:
    """What the wire calls the parameter."""
    known = request.route_handler.parsed_fn_signature.parameters.get(field)
    kind = None if known is None else known.kwarg_definition
    return getattr(kind, "name", None) or field


def _sent(request: AnyRequest, name: str) -> str:
    """What the query says for it, several values with commas between."""
    return ", ".join(str(value) for value in request.query_params.getall(name, []))
