"""Receipts: the server's signature (Ed25519, RFC 8032) over where a table's log stood.

Who holds a receipt can prove later what the server said: another head for the same seq is a fork, a log that ends
earlier is a loss. Signing is deterministic, so asking twice gives the same bytes.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.ids import lane_of

_HEAD = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """The server's word that the log of `table` up to entry `seq` has the hash `head`."""

    table: str
    seq: int
    head: str
    """64 hex digits."""
    key: str
    """The id of the key that signed: see `key_id`."""
    signature: str
    """128 hex digits."""


class Forged(ValueError):  # noqa: N818  (it is said of the receipt)
    """A receipt is malformed, or was not signed by the key it is checked against."""


class Verdict(StrEnum):
    """What two genuine receipts say about each other."""

    FORK = "fork"
    """Proof that the server showed two logs: one table, one seq, two heads."""
    CONSISTENT = "consistent"
    """One table, one seq, one head."""
    UNRELATED = "unrelated"
    """Different tables or seqs: only the log between them can tell (each head is recomputed from its entries)."""


class SigningKey:
    """An Ed25519 private key."""

    def __init__(self, private: bytes) -> None:
        """From the 32 raw bytes of a private key; raises ValueError for any other length."""
        self._key = Ed25519PrivateKey.from_private_bytes(private)
        self.private = private
        self.public = self._key.public_key().public_bytes_raw()
        self.id = key_id(self.public)

    @classmethod
    def generate(cls) -> "SigningKey":
        """A fresh key."""
        return cls(Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def from_private(cls, private: bytes) -> "SigningKey":
        """The key of those 32 raw private bytes."""
        return cls(private)

    def __repr__(self) -> str:
        return f"SigningKey(id={self.id!r})"  # never the secret

    def sign(self, message: bytes) -> bytes:
        """The signature of a message: 64 bytes."""
        return self._key.sign(message)


def key_id(public: bytes) -> str:
    """The id of a key: the first 16 hex digits of the SHA-256 of its 32 raw public bytes."""
    return sha256(public).hexdigest()[:16]


def message(table: str, seq: int, head: str) -> bytes:
    """The bytes that are signed; the first line keeps them apart from anything else that a key might ever sign."""
    return f"comitium receipt 1\n{table}\n{seq}\n{head}".encode()


def sign(key: SigningKey, table: str, seq: int, head: bytes) -> Receipt:
    """The receipt for a head (32 bytes). It must not leave the house before the entry is durable."""
    digits = head.hex()
    return Receipt(table, seq, digits, key.id, key.sign(message(table, seq, digits)).hex())


def sign_many(key: SigningKey, heads: Iterable[tuple[str, int, bytes]]) -> list[Receipt]:
    """A receipt for each (table, seq, head)."""
    return [sign(key, table, seq, head) for table, seq, head in heads]


def verify(receipt: Receipt, public: bytes) -> None:
    """Raise `Forged` unless the key with those 32 raw public bytes signed the receipt."""
    _check_form(receipt)
    if receipt.key != key_id(public):
        raise Forged(f"the receipt names the key {receipt.key!r}, not {key_id(public)!r}")
    signed = message(receipt.table, receipt.seq, receipt.head)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(receipt.signature), signed)
    except InvalidSignature:
        raise Forged(f"the signature for entry {receipt.seq} of {receipt.table} is not from this key") from None


def compare(one: Receipt, other: Receipt) -> Verdict:
    """What two receipts say about each other. Both must have been verified, each with its own key."""
    if (one.table, one.seq) != (other.table, other.seq):
        return Verdict.UNRELATED
    return Verdict.CONSISTENT if one.head == other.head else Verdict.FORK


def _check_form(receipt: Receipt) -> None:
    # One spelling for each receipt: a line break in a table id, or capitals, could give one message two meanings.
    try:
        lane_of(receipt.table)
    except ValueError as error:
        raise Forged(str(error)) from None
    if receipt.seq < 1 or not _HEAD.fullmatch(receipt.head) or not _SIGNATURE.fullmatch(receipt.signature):
        raise Forged("a receipt has a seq from 1, a head of 64 and a signature of 128 hex digits")
