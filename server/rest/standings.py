"""Standings over all public tables that are over, and what they tell of one player (docs/standings.md)."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from litestar import Response, Router, get
from litestar.params import QueryParameter

from projections.standings import Row
from server.problems import Problem
from server.rest.common import Call, need_read, reply
from server.rest.params import PageLimit
from server.rest.shapes import GameRecord, Record, Standing, StandingList
from server.site import Site

PAGE = 50


@get("/standings", refuses=("malformed", "forbidden", "invalid"))
async def list_standings(
    request: Call,
    game: Annotated[str | None, QueryParameter(description="Tables of this game only.")] = None,
    bots: Annotated[bool, QueryParameter(description="Whether house bots are listed, too.")] = True,
    cursor: Annotated[str | None, QueryParameter(description="`next` of the page before.")] = None,
    page: PageLimit = PAGE,
) -> Response[StandingList]:
    """Who has won how often at public tables that are over, and how each has kept his promises; the best first."""
    site = request.site
    need_read(request.caller)
    if game is not None and game not in site.catalogue.current:
        raise Problem("invalid", "no_such_game", game=game)
    standings = site.scorer.standings
    if cursor is not None and not standings.knows(cursor, game, bots=bots):
        raise Problem("invalid", "bad_query", parameter="cursor", value=cursor)
    rows = standings.table(game, bots=bots, after=cursor, limit=page + 1)
    following = rows[page - 1].key if len(rows) > page else None
    listed = StandingList(
        game, standings.tables(game), site.scorer.pending, tuple(_named(site, rows[:page])), following
    )  # fmt: skip
    return reply(request, listed)


def _named(site: Site, rows: Iterable[Row]) -> Iterable[Standing]:
    """The lines with everybody's name."""
    found = list(rows)
    names = site.accounts.names(row.player for row in found if row.player is not None)
    for row in found:
        name = row.bot if row.player is None else names.get(row.player)
        yield Standing(
            **msgspec.structs.asdict(row.tally), rank=row.rank, player=row.player, name=name, bot=row.bot
        )  # fmt: skip


def record_of(site: Site, player: str) -> Record:
    """How the player has played."""
    card = site.scorer.standings.of(player)
    games = tuple(GameRecord(**msgspec.structs.asdict(tally), game=game) for game, tally in card.games)
    return Record(site.scorer.pending, games, card.promises, card.latest)


routes = Router("/", route_handlers=[list_standings], tags=["players"])
