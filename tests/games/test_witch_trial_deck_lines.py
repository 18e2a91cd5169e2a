"""On which line a value of a TOML file stands, in every way that TOML can be written."""

import random
import tomllib

import pytest

from games.witch_trial.deck import house_text
from games.witch_trial.deck_lines import lines_of

LEAVES = (
    "7", "-1.5e3", "0x1F", "true", "1979-05-27 07:32:00", "1979-05-27", "07:32:00.5", "inf",
    '""', "''", '""""""', "''''''", '"a \\" # ] } , = \\\\"', "'a \" # ] \\'",
    '"""\na # no comment\n[no.header]\nno = key \\"\\"\\" \\\\""""', "'''\n[[no]]\n\\ # ''''", '"""two quotes"""""', "'''''two'''",
)  # fmt: skip
KEYS = ("a", "b-c", "D_4", "5", '"sp ace"', "'dot.ted'", '"es\\u0063aped"', '"="', '"]"', "'#'")
BREAKS = ("", " ", "\n", "\r\n", '\n\n  # ] a comment, with [signs] = "\n\t', "\n#\n")


class Writer:
    """Writes a TOML text at random, and notes where it puts what."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.text = ""
        self.lines = {}

    def note(self, path):
        self.lines.setdefault(path, self.text.count("\n") + 1)
        return path

    def value(self, path, depth):
        self.note(path)
        form = self.rng.choice(["leaf", "leaf", "list", "table"]) if depth else "leaf"
        if form == "leaf":
            self.text += self.rng.choice(LEAVES)
        elif form == "list":
            self.text += "["
            for index in range(self.rng.randrange(4)):
                self.text += self.rng.choice(BREAKS)
                self.value((*path, index), depth - 1)
                self.text += self.rng.choice(BREAKS) + ","
            self.text += self.rng.choice(BREAKS) + "]"
        else:
            self.text += "{"
            for number, key in enumerate(self.keys(3)):
                self.text += ", " if number else " "
                self.statement(path, key, depth - 1)
            self.text += " }"

    def keys(self, most):
        return self.rng.sample(KEYS, self.rng.randint(1, most))

    def name(self, key):
        return next(iter(tomllib.loads(f"{key} = 1")))

    def statement(self, path, key, depth):
        path = self.note((*path, self.name(key)))
        self.text += key
        for further in self.keys(2) if self.rng.random() < 0.3 else ():
            self.text += self.rng.choice([".", " . "]) + further
            path = self.note((*path, self.name(further)))
        self.text += self.rng.choice(["=", " = ", "\t= "])
        self.value(path, depth)

    def body(self, path):
        for key in self.keys(3):
            self.statement(path, key, 3)
            self.text += self.rng.choice(["\n", " # and = so [on\n", "\r\n\n"])

    def header(self, left, *names):
        self.text += f"{left}{self.rng.choice(['.', ' . ']).join(names)}{left.replace('[', ']')}"

    def document(self):
        """Statements; a table and one under it; two lists of tables, with a table and a list under the entries of one."""
        self.body(())
        path = self.note(("top",))
        self.header("[", "top")
        self.end()
        self.body(path)
        path = self.note(("high",))
        self.header("[", "high", '"low est"')
        path = self.note((*path, "low est"))
        self.end()
        self.body(path)
        for index in range(self.rng.randint(1, 4)):
            self.note(("list",))
            self.header("[[", "list")
            path = self.note(("list", index))
            self.end()
            self.body(path)
            self.under(path)
        return self.text

    def under(self, path):
        for index in range(self.rng.randrange(3)):
            self.note((*path, "inner"))
            self.header("[[", "list", "inner")
            inner = self.note((*path, "inner", index))
            self.end()
            self.body(inner)
        self.note((*path, "side"))
        self.header("[", "list", "side")
        self.end()
        self.body((*path, "side"))

    def end(self):
        self.text += self.rng.choice(["\n", "  # [[list]]\n", "\n\n"])


def paths(value, path=()):
    """Where something stands."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*path, name)
        yield from paths(part, (*path, name))


@pytest.mark.parametrize("seed", range(150))
def test_every_value_is_found_on_the_line_where_it_was_written(seed):
    writer = Writer(seed)
    text = writer.document()

    found = lines_of(text)

    assert found == writer.lines
    assert found.keys() == set(paths(tomllib.loads(text)))


def test_every_field_of_the_house_deck_stands_on_its_line():
    text = house_text()
    lines = text.splitlines()
    for path, line in lines_of(text).items():
        name = next(step for step in reversed(path) if isinstance(step, str))
        assert (
            f"{name} =" in lines[line - 1] or (name, lines[line - 1]) == ("cards", "[[cards]]") or "effect" in path[2]
        )


def test_a_file_with_nothing_has_no_lines():
    assert lines_of("") == lines_of("# a comment") == lines_of("\n \t\r\n") == {}
