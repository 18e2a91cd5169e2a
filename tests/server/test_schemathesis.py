"""The whole API against its own document, by inputs that nobody thought of, one by one and in sequences."""

import functools
from copy import deepcopy
from typing import Any

import msgspec
import pytest
import schemathesis
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events

from games import Catalogue
from server import openapi
from server.app import build, running
from server.settings import Settings
from server.site import Site
from tests.server.harness import GAMES

CONFIG = """
continue-on-failure = true
{bound}

[generation]
max-examples = {examples}

# What a schema cannot say: that a position is stale, that a value has no meaning at this table.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 412, 422, 429]

# Which actions there are, and with which fields, depends on the game: an unknown one is malformed.
[[operations]]
include-name = "POST /v1/tables/{{table}}/actions"
checks.positive_data_acceptance.enabled = false

# The table is there; what is not found is the invite.
[[operations]]
include-name = "POST /v1/tables/{{table}}/watch"
checks.ensure_resource_availability.enabled = false
"""


@schemathesis.serializer("application/msgpack")
def pack(_: Any, value: Any) -> bytes:
    """What MessagePack cannot hold is sent as what it cannot read."""
    try:
        return msgspec.msgpack.encode(value)
    except OverflowError:
        return b"\xc1"


@schemathesis.deserializer("application/msgpack")
def unpack(_: Any, response: Any) -> Any:
    return msgspec.msgpack.decode(response.content)


def bearer(site: Site) -> type:
    """Who calls: one who may do everything; but who is to be forgotten is always somebody new."""
    everybody = site.accounts.register("Everybody", ("play", "read", "operate")).token

    class Bearer:
        def get(self, case: Any, _: Any) -> str:
            new = case.operation.path == "/v1/me"
            return site.accounts.register("Nobody", ("play",)).token if new else everybody

        def set(self, case: Any, token: str, _: Any) -> None:
            case.headers["Authorization"] = f"Bearer {token}"

    return Bearer


def map_body(_: Any, value: Any) -> Any:
    """JSON Schema takes 7.0 for an integer; here it is none, and nothing that has integers writes them so."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: map_body(_, each) for name, each in value.items()}
        case list():
            return [map_body(_, each) for each in value]
        case _:
            return value


PHASES = {"examples", "coverage", "fuzzing", "stateful"}


def campaign(examples: int, bound: str) -> list[str]:
    """Everything that schemathesis finds at a server in this process: examples, limits, noise, sequences."""
    config = SchemathesisConfig.from_str(CONFIG.format(examples=examples, bound=bound))
    # A copy: schemathesis writes the links that it infers into what it is given.
    schema = schemathesis.openapi.from_dict(deepcopy(openapi.document()), config=config)
    set_up = Settings(store="memory:", unsafe_unlimited=True)
    schema.app = build(functools.partial(running, set_up, Catalogue(GAMES)), set_up)
    schema["/healthz"]["GET"].Case().call()
    schema.hook(map_body)
    schema.auth(refresh_interval=None)(bearer(schema.app.state.site))
    found = list(engine.from_schema(schema).execute())
    problems = [line for event in found for line in wrong(event)]
    if problems:
        return problems
    done = [event for event in found if isinstance(event, events.PhaseFinished) and event.status == Status.SUCCESS]
    assert {event.phase.name.value for event in done} >= PHASES
    return problems


def wrong(event: Any) -> list[str]:
    """What went wrong, with how to see it again."""
    match event:
        case events.ScenarioFinished(recorder=recorder):
            failed = [check for checks in recorder.checks.values() for check in checks if check.failure_info]
            return [
                f"{check.name}: {check.failure_info.failure.title}: {check.failure_info.failure.message}\n"
                f"    {check.failure_info.code_sample}"
                for check in failed
            ]
        case events.NonFatalError(info=info):
            return [f"{info.title}: {info.message}"]
        case events.FatalError(exception=exception):
            return [repr(exception)]
        case _:
            return []


def nothing_but(found: list[str]) -> None:
    """Nothing was found; else the first few, for there may be thousands, and long ones."""
    assert not found, "\n".join(each[:1000] for each in found[:10])


def test_the_api_keeps_its_word(errors):
    """Always the same: a find of tomorrow is for the long campaign."""
    nothing_but(campaign(examples=20, bound="seed = 44"))


@pytest.mark.soak
def test_the_api_keeps_its_word_for_long(errors):
    nothing_but(campaign(examples=400, bound="max-time = 1200"))
