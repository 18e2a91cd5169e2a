"""The catalogue: enough to write a client. Whatever is sent conforms to the schemas that are given here."""

import random
from typing import Any

import jsonschema_rs
import pytest

from games import texts, tribunal
from games.table import actions as act
from tests.server.harness import Person, problem, said

KINDS = ("options", "actions", "events", "view", "asks", "windows")


def test_the_games_that_can_be_played(rest):
    games = {game["game"]: game for game in said(rest.nobody.get("/v1/games"))["games"]}
    assert list(games) == ["harbour", "straws", "tribunal"]
    court = games["tribunal"]
    assert set(court) == {"game", "rules", "title", "summary", "seats", "minutes"}
    assert (court["title"], court["rules"], court["seats"]) == ("Tribunal", tribunal.version, [4, 5, 6, 7])


def test_titles_are_in_the_language_of_the_reader(rest):
    for language in texts.LANGUAGES:
        words = texts.wording(tribunal, language)
        answer = rest.nobody.get("/v1/games/tribunal", headers={"accept-language": language})
        assert said(answer)["title"] == words.text("title")
        assert "Accept-Language" in answer.headers["vary"]


def test_a_game_in_full(rest):
    page = said(rest.nobody.get("/v1/games/tribunal"))
    for language in texts.LANGUAGES:
        keys = page["texts"][language]
        assert {"tribunal.title", "tribunal.rules", "table.refused.not_now"} <= keys.keys()
    assert page["texts"]["en"].keys() == page["texts"]["ja"].keys()
    kinds = [part["properties"]["type"] for part in page["actions"]["$defs"].values()]
    actions = {tag for kind in kinds for tag in kind["enum"]}
    assert {"place", "vote", "say", "offer", "leave", "abandon"} <= actions
    assert not actions & {str(kind.__struct_config__.tag) for kind in act.LIFECYCLE}, "which nobody sends"


def test_an_unknown_game(rest):
    assert "chess" in problem(rest.nobody.get("/v1/games/chess"), "not_found")["detail"]


@pytest.mark.parametrize("game", ["tribunal", "harbour", "straws"])
def test_the_schemas_are_schemas(rest, game):
    page = said(rest.nobody.get(f"/v1/games/{game}"))
    for kind in KINDS:
        assert page[kind]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        jsonschema_rs.meta.validate(page[kind])


class Judge:
    """Holds what is seen and sent at a table to the schemas of its game."""

    def __init__(self, page: dict[str, Any]) -> None:
        self._by = {kind: jsonschema_rs.Draft202012Validator(page[kind]) for kind in KINDS}

    def look(self, view: dict[str, Any]) -> None:
        if view["game"] is not None:
            self._by["view"].validate(view["game"])
        for window in view["windows"]:
            self._by["windows"].validate(window)

    def asks(self, asks: list[dict[str, Any]]) -> None:
        for ask in asks:
            self._by["asks"].validate(ask)

    def action(self, action: dict[str, Any]) -> None:
        self._by["actions"].validate(action)

    def entries(self, entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            for event in entry["entry"]["events"]:
                self._by["events"].validate(event)


def member(rng: random.Random, ask: dict[str, Any]) -> dict[str, Any]:
    """Some action that the ask permits, as a client without rules finds it."""
    return {"type": ask["type"], **{name: value(rng, domain) for name, domain in ask["fields"].items()}}


def value(rng: random.Random, domain: dict[str, Any]) -> Any:
    match domain:
        case {"one_of": values}:
            return rng.choice(values)
        case {"some_of": values, "min": low}:
            return rng.sample(values, low)
        case {"min": low, "max": high}:
            return rng.randint(low, high)
        case {"text": _}:
            return "Ave"
        case _:
            return None


@pytest.mark.parametrize(("game", "seats"), [("tribunal", 4), ("harbour", 3), ("straws", 4)])
def test_what_is_seen_and_sent_conforms_to_the_schemas(rest, game, seats):
    judge = Judge(said(rest.nobody.get(f"/v1/games/{game}")))
    people = rest.people(*(f"P{seat}" for seat in range(seats)))
    table, rng = rest.table(*people, game=game), random.Random(game)
    for _ in range(300):
        view = people[0].view(table)
        if view["status"] == "ended":
            break
        move(judge, people[rng.choice(view["to_act"])], table, rng)
        for who in (people[0], rest.nobody):
            judge.look(who.view(table))
    assert view["status"] == "ended"
    for who in (*people, rest.nobody):
        judge.entries(said(who.get(f"{table}/log?limit=1000"))["entries"])


def move(judge: Judge, who: Person, table: str, rng: random.Random) -> None:
    """Anything that the table waits for; sometimes an offer or a word before it."""
    asks = said(who.get(f"{table}/asks"))["asks"]
    judge.asks(asks)
    others = [ask for ask in asks if ask["type"] in ("say", "promise", "pay", "offer", "accept", "whisper")]
    if others and rng.random() < 0.5:
        action = member(rng, rng.choice(others))
        if None not in action.values():
            judge.action(action)
            said(who.act(table, action.pop("type"), **action), 201)
            return
    action = member(rng, rng.choice([ask for ask in asks if ask["must"]]))
    judge.action(action)
    said(who.act(table, action.pop("type"), **action), 201)
