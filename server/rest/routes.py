"""All routes, and what their handlers are given."""

from collections.abc import Mapping
from typing import Any, cast

from litestar import Request, Response, Router, route
from litestar.datastructures import State
from litestar.di import Provide
from litestar.routes import HTTPRoute

from server.problems import Problem
from server.rest import archives, audit, games, invites, live, meta, play, players, seats, sequels, standings, tables
from server.rest.common import Call, caller_of, count, need
from server.rest.visits import Visit, visit
from server.site import Site


def site_of(state: State) -> Site:
    """The server itself."""
    site: Site = state.site
    return site


def enter(request: Request[Any, Any, Any]) -> None:
    """Finds out who calls, whether he may, and whether the answer can be in a form that he accepts.

    So nothing is done in vain, and who may not is told so before he learns what there is. Whoever reads is counted here;
    for everything else the routes count.
    """
    call = cast("Call", request)
    _ = call.media
    caller = call.state.caller = caller_of(call, call.site)
    _check_needs(call)
    if call.method == "GET":
        count(call.site.commands.limits.reads, caller.limit_key)
        _check_query(call)


def _check_needs(call: Call) -> None:
    """A token, where the route needs one, with the scopes that it needs."""
    needs = call.route_handler.opt.get("needs")
    if needs is not None:
        _ = call.principal
        for scope in needs:
            need(call.caller, scope)


def _check_query(call: Call) -> None:
    """Each parameter once. `null` would pass for one that is not there where a number is meant."""
    for name, values in call.query_params.dict().items():
        if len(values) > 1 or values[0].lower() == "null":
            raise Problem("malformed", "bad_query", parameter=name, value=", ".join(values))


@route(["/tables", "/me"], http_method=["OPTIONS"], include_in_schema=False, status_code=204)
async def options(request: Request[Any, Any, Any]) -> Response[None]:
    """What can be done there. Litestar says it by itself, but where handlers share a path of the first of them only."""
    here = next(each for each in request.app.routes if each.path == request.scope["path"])
    methods = cast("HTTPRoute", here).methods
    return Response(None, status_code=204, headers={"Allow": ", ".join(sorted(methods))})


V1 = Router(
    "/v1",
    route_handlers=[
        options,
        *(module.routes for module in (players, games, tables, sequels, seats, invites, play, audit, archives, live)),
        standings.routes,
        meta.v1,
    ],
    before_request=enter,
)

ROUTES = [V1, meta.routes]

DEPENDENCIES: Mapping[str, Provide] = {
    "site": Provide(site_of, sync_to_thread=False),
    "here": Provide(visit),
}

SIGNATURE_TYPES = [Site, Visit, Call]
