"""About the server: keys, health, metrics, documents, what problems mean."""

from litestar import MediaType, Response, Router, get

from server import asyncapi, openapi
from server.problems import Problem, help_page, language_of
from server.rest.common import Call, reply
from server.rest.params import ProblemRef
from server.rest.shapes import KeyLine, Keys

TEXT = "text/plain; charset=utf-8"


@get("/keys")
async def list_keys(request: Call) -> Response[Keys]:
    """The keys that receipts were ever signed with."""
    found = request.site.accounts.signing_keys()
    return reply(request, Keys(tuple(KeyLine(key.id, key.public.hex(), key.created, key.current) for key in found)))


@get("/healthz", media_type=MediaType.TEXT)
async def get_health() -> str:
    """The process lives."""
    return "ok\n"


@get("/readyz", media_type=MediaType.TEXT, refuses=("unavailable",))
async def get_readiness(request: Call) -> str:
    """The server takes requests: the log has been read, and the store answers."""
    site = request.site
    if not site.ready:
        raise Problem("unavailable", retry_after=1)
    await site.store.feed(0, 0, 1)
    return "ready\n"


@get("/metrics", media_type=MediaType.TEXT)
async def get_metrics(request: Call) -> Response[bytes]:
    """Figures for Prometheus."""
    body, media = request.site.commands.metrics.render()
    return Response(body, media_type=media)


@get("/problems/{code:str}", media_type=MediaType.TEXT, refuses=("not_found",))
async def get_problem(request: Call, code: ProblemRef) -> Response[str]:
    """What a problem means and what to do about it."""
    language = language_of(request.headers.get("accept-language"))
    page = help_page(code, language)
    if page is None:
        raise Problem("not_found", "no_such_path")
    return Response(page, media_type=TEXT, headers={"Vary": "Accept-Language", "Content-Language": language})


@get("/openapi.json", media_type=MediaType.JSON, include_in_schema=False)
async def openapi_page() -> Response[bytes]:
    """The description of all this."""
    return Response(openapi.page(), media_type="application/json")


@get("/asyncapi.json", media_type=MediaType.JSON, include_in_schema=False)
async def asyncapi_page() -> Response[bytes]:
    """The description of the socket."""
    return Response(asyncapi.page(), media_type="application/json")


v1 = Router("/", route_handlers=[list_keys], tags=["meta"])
routes = Router(
    "/",
    route_handlers=[get_health, get_readiness, get_metrics, get_problem, openapi_page, asyncapi_page],
    tags=["meta"],
)
