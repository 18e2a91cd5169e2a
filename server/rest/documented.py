"""The problems that a route may answer with, for the OpenAPI document."""

from collections.abc import Mapping

import msgspec
from litestar.openapi.datastructures import ResponseSpec

PROBLEM_MEDIA = "application/problem+json"


class ProblemDocument(msgspec.Struct, frozen=True):
    """RFC 9457. `type` is from a closed list; `detail` is a sentence for people; more members may follow."""

    type: str
    title: str
    status: int
    detail: str
    code: str


MEANING = {
    400: "not decodable, or an unknown field or type",
    401: "no token, or an unknown one",
    403: "the token lacks the scope, or the seat is not the caller's",
    404: "unknown, or invisible to the caller",
    405: "no such method here",
    406: "nothing that the caller accepts",
    409: "refused by the rules or by the table's state",
    412: "the caller's asks have changed since, or the log ends before what he has seen",
    413: "too large",
    415: "neither JSON nor MessagePack",
    422: "the key was used for something else, or options that the game does not have",
    429: "too many; Retry-After says when",
    503: "the outcome is unknown: send again with the same key; Retry-After says when",
}


def problems(*statuses: int) -> Mapping[int, ResponseSpec]:
    """The responses of those statuses; any route may also be limited or temporarily without its store."""
    shown = sorted({*statuses, 400, 401, 429, 503})
    return {
        status: ResponseSpec(
            ProblemDocument, generate_examples=False, description=MEANING[status], media_type=PROBLEM_MEDIA
        )
        for status in shown
    }
