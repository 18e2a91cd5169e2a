"""Tokens, invite codes and ids: how they are made, and the hash that stands for them in the file.

A look-up by hash needs no comparison in constant time: what time could tell is how far the SHA-256 of a guess agrees
with a stored one, and nobody can steer that without inverting SHA-256. Nor does a random 256-bit token need a salted
or slow hash; those protect what people choose themselves.
"""

import base64
import secrets
from hashlib import sha256

TOKEN_PREFIX = "cmt_"  # noqa: S105  (the part that all tokens share)
CODE_PREFIX = "inv_"
"""So that logs, people and scanners of leaked files recognise one."""

CODE_BYTES = 15
TOKEN_LENGTH = len(TOKEN_PREFIX) + 43


def new_token() -> str:
    """32 random bytes in base64url."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """A random invite code."""
    return code_of(secrets.token_bytes(CODE_BYTES))


def code_of(noise: bytes) -> str:
    """The invite code made of the first 120 bits."""
    return CODE_PREFIX + _base32(noise[:CODE_BYTES])


def new_id(prefix: str) -> str:
    """80 random bits: 16 letters and digits after the prefix."""
    return prefix + _base32(secrets.token_bytes(10))


def token_hash(token: str) -> bytes | None:
    """What is kept of a token; None for a text that cannot be one, whatever its length."""
    if len(token) != TOKEN_LENGTH or not token.startswith(TOKEN_PREFIX) or not token.isascii():
        return None
    return sha256(token.encode()).digest()


def code_hash(code: str) -> bytes:
    """What is kept of an invite code. People type codes: letter case and blanks around do not matter."""
    return sha256(code.strip().lower().encode("utf-8", "replace")).digest()


def _base32(noise: bytes) -> str:
    return base64.b32encode(noise).decode().lower()
