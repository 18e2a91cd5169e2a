"""Decks and boards of the operator: chosen by name, checked, and from then on in the table's own log."""

import msgspec
import pytest

from events.archive import read
from games.core import BadFile, Installed
from tests.games import sample_plain
from tests.server.live_support import GAMES, run
from tests.server.live_wire import serving


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cloth: str = "linen"
    cloth_file: Installed | None = None


class Furnished:
    """Straws on a cloth, of which the operator may have others."""

    def __init__(self):
        for name in ("State", "Action", "Event", "evolve", "asks", "redact", "discloses", "outcome", "bound", "decide"):
            setattr(self, name, getattr(sample_plain, name))
        self.name, self.version, self.seats = "cloth", 1, sample_plain.seats
        self.Options, self.__name__ = Options, sample_plain.__name__
        self.furniture = {"cloth": ("linen", "silk")}

    def open(self, options, seats, chance):
        return sample_plain.open(sample_plain.Options(), seats, chance)

    def furnish(self, kind, text):
        assert kind == "cloth"
        if not text.startswith("colour = "):
            raise BadFile(1, "no_colour", "A cloth has a colour.")
        return {"colour": text.split('"')[1]}


def served(folder):
    return serving(games=(*GAMES, Furnished()), furniture=None if folder is None else str(folder))


def install(folder, name, text):
    place = folder / "cloth" / "cloth"
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{name}.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


async def opening(town, **options):
    who = town.person("Livia")
    body = {"game": "cloth", "seats": 2, "options": options, "sit": False}
    return await town.http.post("/v1/tables", json=body, headers={"Authorization": f"Bearer {town.tokens[who]}"})


def test_what_stands_in_the_file_is_in_the_first_entry(tmp_path):
    install(tmp_path, "velvet", 'colour = "red"\n')

    async def body():
        async with served(tmp_path) as town:
            answer = await opening(town, cloth="velvet")
            assert answer.status_code == 201, answer.text
            table = answer.json()["table"]
            assert table["options"]["cloth"] == "velvet"
            assert table["options"]["cloth_file"]["content"] == {"colour": "red"}
            assert len(table["options"]["cloth_file"]["sha256"]) == 64
            install(tmp_path, "velvet", 'colour = "green"\n')
            path = f"/v1/tables/{table['id']}"
            assert (await town.http.get(path)).json()["options"] == table["options"], (
                "the file may change, the log does not"
            )
            _, lines = read([(await town.http.get(f"{path}/archive")).content])
            assert b'"colour":"red"' in next(lines).body

    run(body())


def test_the_games_own_files_need_no_folder(tmp_path):
    async def body():
        for folder in (None, tmp_path):
            async with served(folder) as town:
                for name in ("linen", "silk"):
                    answer = await opening(town, cloth=name)
                    assert answer.json()["table"]["options"] == {"cloth": name, "cloth_file": None}

    run(body())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wool", "no cloth named wool"),
        ("../cloth/velvet", "no cloth named"),
        ("Velvet", "no cloth named"),
        ("bare", "A cloth has a colour"),
        ("binary", "no UTF-8"),
        ("vast", "larger than"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason_and_no_table_is_opened(name, said, tmp_path):
    install(tmp_path, "velvet", 'colour = "red"\n')
    install(tmp_path, "bare", "\n")
    install(tmp_path, "binary", b"\xff\xfe")
    install(tmp_path, "vast", "colour = " + "x" * (1 << 18))

    async def body():
        async with served(tmp_path) as town:
            answer = await opening(town, cloth=name)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
            assert said in answer.json()["detail"]
            assert (await town.http.get("/v1/tables")).json()["tables"] == []

    run(body())


def test_nobody_brings_a_file_of_his_own(tmp_path):
    async def body():
        async with served(tmp_path) as town:
            answer = await opening(town, cloth="linen", cloth_file={"sha256": "", "content": {}})
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
            assert "cloth_file" in answer.json()["detail"]
            wrong = await opening(town, cloth=7)
            assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid")

    run(body())


def test_what_there_is_stands_on_the_games_page(tmp_path):
    install(tmp_path, "velvet", 'colour = "red"\n')
    install(tmp_path, "linen", 'colour = "grey"\n')
    install(tmp_path, "Not a name", "")

    async def body():
        async with served(tmp_path) as town:
            page = (await town.http.get("/v1/games/cloth")).json()
            assert page["furniture"] == {"cloth": ["linen", "silk", "velvet"]}
            assert "cloth_file" not in str(page["options"])
            assert (await town.http.get("/v1/games/straws")).json()["furniture"] == {}

    run(body())
