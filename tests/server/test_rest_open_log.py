"""When a table has ended, its log opens with the salts: what every audience was shown can be checked."""

import hmac
from hashlib import sha256

from tests.server.harness import said


def test_the_salts_open_with_the_log_and_not_before(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus, game="straws")
    path = f"{table}/log"
    shown = {who: said(who.get(path))["entries"] for who in (livia, marcus, rest.nobody)}
    assert not any("root_salt" in entry for entries in shown.values() for entry in entries)

    for person in (livia, marcus):
        said(person.act(table, "keep"), 201)
    opened = said(rest.nobody.get(path))["entries"]
    assert all(entry["version"] == "full" for entry in opened)
    for entries in shown.values():
        for then, now in zip(entries, opened, strict=False):
            salt = hmac.digest(bytes.fromhex(now["root_salt"]), then["version"].encode(), sha256)
            assert salt.hex() == then["salt"], "what was shown then was committed to"
    assert len({entry["root_salt"] for entry in opened}) == len(opened)
