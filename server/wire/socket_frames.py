"""What only sockets carry: the client's frames, and the answers to them."""

from collections.abc import Callable
from typing import Any

import msgspec

from server.bodies import UNREADABLE
from server.tables.service import Answer
from server.wire.coding import Coding, encode
from server.wire.frames import ReceiptFields, receipt_fields

FrameId = str | int


class ClientFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action of the client. `id` comes back with the answer."""

    id: FrameId
    action: msgspec.Raw
    key: str | None = None
    if_match: int | None = None


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first frame of who could send no header: `Bearer TOKEN`."""

    authorization: str


class Ack(msgspec.Struct, frozen=True, omit_defaults=True):
    """The action is an entry now, and durable."""

    id: FrameId
    seq: int
    head: str
    receipt: ReceiptFields
    replayed: bool = False


class Trouble(msgspec.Struct, frozen=True):
    """The action was not done. `id` is null where the frame had none that can be read; without it the connection ends."""

    problem: dict[str, Any]
    id: FrameId | msgspec.UnsetType | None = msgspec.UNSET


class _OnlyId(msgspec.Struct):
    id: FrameId | None = None


_frames: dict[Coding, Callable[[bytes], ClientFrame]] = {
    "json": msgspec.json.Decoder(ClientFrame).decode,
    "msgpack": msgspec.msgpack.Decoder(ClientFrame).decode,
}
_logins: dict[Coding, Callable[[bytes], Login]] = {
    "json": msgspec.json.Decoder(Login).decode,
    "msgpack": msgspec.msgpack.Decoder(Login).decode,
}
_ids: dict[Coding, Callable[[bytes], _OnlyId]] = {
    "json": msgspec.json.Decoder(_OnlyId).decode,
    "msgpack": msgspec.msgpack.Decoder(_OnlyId).decode,
}


def frame_of(coding: Coding, raw: bytes) -> ClientFrame:
    """The client's frame. Raises one of `UNREADABLE` if it is none."""
    return _frames[coding](raw)


def login_of(coding: Coding, raw: bytes) -> str | None:
    """The Authorization in a client's first frame; None if it is another frame."""
    try:
        return _logins[coding](raw).authorization
    except UNREADABLE:
        return None


def id_of(coding: Coding, raw: bytes) -> FrameId | None:
    """The id of a frame that is wrong otherwise, so that its sender knows which one."""
    try:
        return _ids[coding](raw).id
    except UNREADABLE:
        return None


def ack(coding: Coding, frame: FrameId, answer: Answer) -> bytes:
    """That the action of that frame is done."""
    entry = answer.entry
    return encode(
        coding, Ack(frame, entry.seq, entry.head.hex(), receipt_fields(answer.receipt), replayed=answer.replayed)
    )


def trouble(
    coding: Coding, document: dict[str, Any], frame: FrameId | msgspec.UnsetType | None = msgspec.UNSET
) -> bytes:
    """Why the action of that frame is not done or, without a frame, why the connection ends."""
    return encode(coding, Trouble(document, frame))
