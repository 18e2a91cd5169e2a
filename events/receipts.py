r"""Receipts: the server's signature (Ed25519, RFC 8032) over where a table's log stood.

Who holds a receipt can prove later what the server said: another head for the same seq is a fork, a log that ends
earlier is a loss.

A signature costs more than all the hashes of an entry, so receipts that are made together share one. They are the
leaves of a hash tree, its root is signed, and each receipt carries the `path` from its leaf to the root (as the
inclusion proofs of RFC 9162 do). A receipt made alone has no path, and its own text is what is signed.

    leaf = SHA-256(0x00 || message)     node = SHA-256(0x01 || left || right)     signed: "comitium receipts 1\n" root-hex

The leaves are filled up to a power of two with 32 zero bytes each. Bit i of `index` says on which side the i-th step
of the path is: 0, the sibling stands right of us; 1, left.
"""

import re
from collections.abc import Sequence
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
    index: int = 0
    """Which leaf this is, from 0."""
    path: tuple[str, ...] = ()
    """The siblings on the way to the root, 64 hex digits each; empty when it was signed alone."""


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


def sign_many(key: SigningKey, heads: Sequence[tuple[str, int, bytes]]) -> list[Receipt]:
    """A receipt for each (table, seq, head), all by one signature."""
    if len(heads) == 1:
        return [sign(key, *heads[0])]
    levels = _levels([_leaf(message(table, seq, head.hex())) for table, seq, head in heads])
    signature = key.sign(batch_message(levels[-1][0])).hex() if heads else ""
    return [
        Receipt(table, seq, head.hex(), key.id, signature, index, _path(levels, index))
        for index, (table, seq, head) in enumerate(heads)
    ]


def batch_message(root: bytes) -> bytes:
    """The bytes that are signed for receipts that were made together."""
    return f"comitium receipts 1\n{root.hex()}".encode()


def signed_by(receipt: Receipt) -> bytes:
    """The bytes that the receipt's signature is over."""
    own = message(receipt.table, receipt.seq, receipt.head)
    if not receipt.path:
        return own
    node, index = _leaf(own), receipt.index
    for sibling in map(bytes.fromhex, receipt.path):
        node = _node(sibling, node) if index & 1 else _node(node, sibling)
        index >>= 1
    return batch_message(node)


def _leaf(data: bytes) -> bytes:
    return sha256(b"\x00" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _levels(leaves: list[bytes]) -> list[list[bytes]]:
    """The tree from its leaves up to its root."""
    size = 1 << (len(leaves) - 1).bit_length() if leaves else 1
    levels = [leaves + [bytes(32)] * (size - len(leaves))]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([_node(below[place], below[place + 1]) for place in range(0, len(below), 2)])
    return levels


def _path(levels: list[list[bytes]], index: int) -> tuple[str, ...]:
    return tuple([level[(index >> height) ^ 1].hex() for height, level in enumerate(levels[:-1])])


def verify(receipt: Receipt, public: bytes) -> None:
    """Raise `Forged` unless the key with those 32 raw public bytes signed the receipt."""
    _check_form(receipt)
    if receipt.key != key_id(public):
        raise Forged(f"the receipt names the key {receipt.key!r}, not {key_id(public)!r}")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(receipt.signature), signed_by(receipt))
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
    if not all(_HEAD.fullmatch(sibling) for sibling in receipt.path) or not 0 <= receipt.index < 1 << len(receipt.path):
        raise Forged("a receipt's path has 64 hex digits a step, and its index is a place in that tree")
    if receipt.seq < 1 or not _HEAD.fullmatch(receipt.head) or not _SIGNATURE.fullmatch(receipt.signature):
        raise Forged("a receipt has a seq from 1, a head of 64 and a signature of 128 hex digits")
