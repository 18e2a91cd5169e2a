"""The catalogue: what can be played, with schemas and texts."""

from functools import cache
from typing import Any

import msgspec
from litestar import Response, Router, get

from games import bargaining
from games.core import Furnished, Game
from games.table import actions, events
from games.table.rules import Rules
from games.texts import MissingText
from server.problems import Problem
from server.rest.common import Call, reply
from server.rest.params import GameRef
from server.rest.shapes import GameLine, GamePage, Games
from server.wire.shapes import Ask, Window
from server.words import both, game_words

LANGUAGES_VARY = {"Vary": "Accept, Accept-Language"}

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@get("/games")
async def list_games(request: Call) -> Response[Games]:
    """Every game that can be played here."""
    site, caller = request.site, request.caller
    lines = [_line(rules.game, caller.language) for _, rules in sorted(site.catalogue.current.items())]
    return reply(request, Games(tuple(lines)), headers=LANGUAGES_VARY)


@get("/games/{game:str}", refuses=("not_found",))
async def get_game(request: Call, game: GameRef) -> Response[GamePage]:
    """A game in full, enough to write a client for it."""
    site, caller = request.site, request.caller
    rules = site.catalogue.current.get(game)
    if rules is None:
        raise Problem("not_found", "no_such_game", game=game)
    line = _line(rules.game, caller.language)
    page = GamePage(
        **msgspec.structs.asdict(line), **_schemas(rules), bots=site.bots.names,
        furniture=site.furniture.names(rules.game), texts=both(rules.game)
    )  # fmt: skip
    return reply(request, page, headers=LANGUAGES_VARY)


def _line(game: Game, language: str) -> GameLine:
    """A game that somebody only tries out may have no words: then its name stands for them."""
    words = game_words(game, language)
    try:
        title, summary = words.text("title"), words.text("summary")
    except MissingText:
        title, summary = game.name, ""
    return GameLine(
        game.name, game.version, title, summary, tuple(game.seats), words.texts.get(f"{game.name}.minutes")
    )  # fmt: skip


@cache
def _schemas(rules: Rules) -> dict[str, Any]:
    """JSON Schemas of the options, of the actions and events of table and game, and of the game's state in a view."""
    kinds: dict[str, tuple[Any, ...]] = {
        "options": (rules.game.Options,),
        "actions": (*actions.SEAT_ACTS, *rules.game_actions),
        "events": (*events.TYPES, *bargaining.TYPES, *rules.game_events),
        "view": (rules.game.State,),
        "asks": (Ask,),
        "windows": (Window,),
    }
    found = {name: _schema(types) for name, types in kinds.items()}
    for kind in rules.game.furniture if isinstance(rules.game, Furnished) else ():
        _without(found["options"], f"{kind}_file")
    return found


def _without(schema: dict[str, Any], field: str) -> None:
    """What nobody may give needs not be told."""
    for part in (schema, *schema["$defs"].values()):
        part.get("properties", {}).pop(field, None)


def _schema(types: tuple[Any, ...]) -> dict[str, Any]:
    schemas, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    top = schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}
    return {"$schema": DIALECT, **top, "$defs": components}


routes = Router("/", route_handlers=[list_games, get_game], tags=["games"])
