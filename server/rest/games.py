"""The catalogue: what can be played, with schemas and texts."""

from functools import cache
from typing import Any

import msgspec
from litestar import Response, Router, get

from games.core import Game
from games.table import actions, events
from games.table.rules import Rules
from games.texts import wording
from server.callers import Caller
from server.problems import Problem
from server.rest.common import AnyRequest, reply
from server.rest.documented import problems
from server.rest.shapes import GameLine, GamePage, Games
from server.site import Site
from server.words import both


@get("/games")
async def game_list(request: AnyRequest, site: Site, caller: Caller) -> Response[Games]:
    """Every game that can be played here."""
    lines = [_line(rules.game, caller.language) for _, rules in sorted(site.catalogue.current.items())]
    return reply(request, Games(tuple(lines)))


@get("/games/{game:str}", responses=problems(404))
async def game_page(request: AnyRequest, site: Site, caller: Caller, game: str) -> Response[GamePage]:
    """A game in full, enough to write a client for it."""
    rules = site.catalogue.current.get(game)
    if rules is None:
        raise Problem("not_found")
    line = _line(rules.game, caller.language)
    schemas = _schemas(rules)
    return reply(
        request,
        GamePage(**msgspec.structs.asdict(line), **schemas, bots=site.bots.names, texts=both(rules.game)),
    )


def _line(game: Game, language: str) -> GameLine:
    words = wording(game, language)
    minutes = words.texts.get(f"{game.name}.minutes")
    return GameLine(game.name, game.version, words.text("title"), words.text("summary"), tuple(game.seats), minutes)


@cache
def _schemas(rules: Rules) -> dict[str, Any]:
    """JSON Schemas (2020-12) of the options, of the actions and events of table and game, and of the game's state."""
    kinds: dict[str, tuple[Any, ...]] = {
        "options": (rules.game.Options,),
        "actions": (*actions.SEAT_ACTS, *rules.game_actions),
        "events": (*events.TYPES, *rules.game_events),
        "view": (rules.game.State,),
    }
    return {name: _schema(types) for name, types in kinds.items()}


def _schema(types: tuple[Any, ...]) -> dict[str, Any]:
    schemas, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    top = schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}
    return {**top, "$defs": components}


routes = Router("/", route_handlers=[game_list, game_page], tags=["games"])
