"""What a player may be called."""

import unicodedata

from server.accounts.ports import NameRefused

LONGEST = 40

_UNSEEN = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories: control, surrogate, private, line and paragraph separators. Unassigned ones are tomorrow's."""

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Direction marks, which could turn the text around a name. Other joiners are part of many scripts and of emoji."""


def clean_name(name: str) -> str:
    """The name in normal form (NFC), without blanks around.

    Raises:
        NameRefused: it is empty, longer than 40 characters, or has characters that cannot be seen.
    """
    clean = unicodedata.normalize("NFC", name).strip()
    if len(clean) > LONGEST:
        raise NameRefused("name_too_long", longest=LONGEST)
    if any(c in _TURNING or unicodedata.category(c) in _UNSEEN for c in clean):
        raise NameRefused("name_unseen")
    if not any(unicodedata.category(c)[0] in "LNPS" for c in clean):
        raise NameRefused("name_empty")
    return clean
