"""About the server: keys, health, metrics, documents, what problems mean."""

from litestar import MediaType, Response, Router, get

from server.callers import Caller
from server.problems import Problem, help_page
from server.rest.common import AnyRequest, reply
from server.rest.documented import problems
from server.rest.shapes import KeyLine, Keys
from server.site import Site


@get("/v1/keys", tags=["meta"])
async def keys(request: AnyRequest, site: Site) -> Response[Keys]:
    """The keys that receipts were ever signed with."""
    found = site.accounts.signing_keys()
    return reply(request, Keys(tuple(KeyLine(key.id, key.public.hex(), key.created, key.current) for key in found)))


@get("/healthz", media_type=MediaType.TEXT, tags=["meta"])
async def healthz() -> str:
    """The process lives."""
    return "ok\n"


@get("/readyz", media_type=MediaType.TEXT, responses=problems(503), tags=["meta"])
async def readyz(site: Site) -> str:
    """The server takes requests: the log has been read, and the store answers."""
    if not site.ready:
        raise Problem("unavailable", retry_after=1)
    await site.store.feed(0, 0, 1)
    return "ready\n"


@get("/metrics", media_type=MediaType.TEXT, tags=["meta"])
async def metrics(site: Site) -> Response[bytes]:
    """Figures for Prometheus."""
    body, media = site.commands.metrics.render()
    return Response(body, media_type=media)


@get("/problems/{code:str}", media_type=MediaType.TEXT, responses=problems(404), tags=["meta"])
async def problem_page(caller: Caller, code: str) -> str:
    """What a problem means and what to do about it."""
    page = help_page(code, caller.language)
    if page is None:
        raise Problem("not_found")
    return page


routes = Router("/", route_handlers=[keys, healthz, readyz, metrics, problem_page])
