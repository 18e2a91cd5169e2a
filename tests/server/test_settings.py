"""Settings from the command line, the environment and the defaults, and what is said when one is wrong."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.settings import PREFIX, Rate, SettingError, Settings, describe

NAMES = [setting.name for setting in describe()]


def test_the_defaults():
    settings = Settings.load({})
    assert settings == Settings()
    assert (settings.host, settings.port, settings.store) == ("127.0.0.1", 8000, "sqlite:comitium.sqlite")
    assert (settings.body_limit, settings.socket_queue, settings.sockets) == (65536, 256, 32)
    assert settings.actions == Rate(50.0, 200)
    assert settings.registrations == Rate(5.0, 50)
    assert (settings.decision_seconds, settings.keepalive_seconds, settings.shutdown_seconds) == (2.0, 15.0, 10.0)
    assert not settings.unsafe_unlimited


def test_the_command_line_wins_over_the_environment():
    environ = {"COMITIUM_PORT": "9000", "COMITIUM_HOST": "0.0.0.0", "HOME": "elsewhere"}
    settings = Settings.load(environ, port=9001, host=None)
    assert (settings.port, settings.host) == (9001, "0.0.0.0")


def test_an_empty_variable_is_not_set():
    assert Settings.load({"COMITIUM_PORT": "", "COMITIUM_STORE": "  ", "COMITIUM_REGISTRATION": ""}) == Settings()


def test_an_option_that_was_not_used_leaves_the_variable():
    assert Settings.load({"COMITIUM_CORS_ORIGINS": "*"}, cors_origins=()).cors_origins == ("*",)
    assert not Settings.load({"COMITIUM_UNSAFE_UNLIMITED": "true"}, unsafe_unlimited=False).unsafe_unlimited


def test_an_override_of_nothing_is_a_mistake():
    with pytest.raises(TypeError, match="prot"):
        Settings.load({}, prot=1)


@pytest.mark.parametrize("name", NAMES)
def test_every_default_can_be_written_out(name):
    setting = next(setting for setting in describe() if setting.name == name)
    assert Settings.load({setting.variable: setting.default}) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("host", "::1", "::1"),
        ("host", "play.example.org", "play.example.org"),
        ("port", "0", 0),
        ("port", " 65535 ", 65535),
        ("store", "memory:", "memory:"),
        ("store", "sqlite:/var/lib/comitium/log.sqlite", "sqlite:/var/lib/comitium/log.sqlite"),
        ("store", "redis://:pw@db:6379/0", "redis://:pw@db:6379/0"),
        ("store", "rediss://db", "rediss://db"),
        ("accounts", "memory:", "memory:"),
        ("registration", "open", "open"),
        ("cors_origins", "https://a.example, http://localhost:5173", ("https://a.example", "http://localhost:5173")),
        ("cors_origins", "*", ("*",)),
        ("action_rate", "0.5", 0.5),
        ("action_rate", "7", 7.0),
        ("log_format", "json", "json"),
        ("unsafe_unlimited", "true", True),
        ("unsafe_unlimited", "0", False),
    ],
)
def test_values_from_the_environment(name, text, value):
    settings = Settings.load({PREFIX + name.upper(): text})
    assert getattr(settings, name) == value
    assert type(getattr(settings, name)) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("host", "http://localhost"),
        ("host", "local host"),
        ("port", "-1"),
        ("port", "65536"),
        ("port", "eight"),
        ("port", "80.5"),
        ("store", "comitium.sqlite"),
        ("store", "sqlite:"),
        ("store", "sqlite::memory:"),
        ("store", "memory"),
        ("store", "redis:"),
        ("store", "postgres://db"),
        ("registration", "maybe"),
        ("registration", "null"),
        ("cors_origins", "play.example.org"),
        ("cors_origins", "https://play.example.org/"),
        ("cors_origins", "https://a.example,,"),
        ("cors_origins", "https://*.example.org"),
        ("body_limit", "10"),
        ("socket_queue", "0"),
        ("action_rate", "0"),
        ("action_rate", "nan"),
        ("action_rate", "inf"),
        ("decision_seconds", "-1"),
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("unsafe_unlimited", "yes"),
    ],
)
def test_an_error_names_the_variable_the_value_and_what_is_allowed(name, text):
    setting = next(setting for setting in describe() if setting.name == name)
    with pytest.raises(SettingError) as wrong:
        Settings.load({setting.variable: text})
    assert (wrong.value.variable, wrong.value.value, wrong.value.allowed) == (setting.variable, text, setting.allowed)
    assert str(wrong.value) == f"{setting.variable} is {text!r}; allowed is {setting.allowed}."
    with pytest.raises(SettingError, match=setting.option):
        Settings.load({}, **{name: text})


def test_an_override_comes_typed_or_as_text():
    assert Settings.load({}, port="9000", cors_origins=("https://a.example",)).port == 9000
    with pytest.raises(SettingError, match="--port"):
        Settings.load({}, port=70000)
    with pytest.raises(SettingError, match="--cors-origins"):
        Settings.load({}, cors_origins=("a.example",))


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("LOCALHOST", True)]
    + [(host, False) for host in ("0.0.0.0", "::", "192.0.2.1", "example.org", "localhost.example.org")],
)
def test_registration_is_open_on_loopback_unless_it_is_said(host, loopback):
    assert Settings(host=host).registration_open is loopback
    assert Settings(host=host, registration="open").registration_open
    assert not Settings(host=host, registration="closed").registration_open


@pytest.mark.parametrize(
    ("settings", "kind", "at"),
    [
        (Settings(), "sqlite", "comitium.sqlite.accounts"),
        (Settings(store="memory:"), "memory", "memory:"),
        (Settings(store="sqlite:a/b.sqlite"), "sqlite", "a/b.sqlite.accounts"),
        (Settings(store="redis://db"), "redis", "comitium.sqlite.accounts"),
        (Settings(store="memory:", accounts="x"), "memory", "x"),
    ],
)
def test_the_accounts_lie_beside_the_store(settings, kind, at):
    assert (settings.store_kind, settings.accounts_at) == (kind, at)


def test_a_password_is_never_shown():
    settings = Settings.load({"COMITIUM_STORE": "redis://me:canary@db:6379/0"})
    assert "canary" in settings.store
    assert "canary" not in repr(settings) + str(settings) + repr(settings.__rich_repr__())
    assert "db:6379" in repr(settings)
    with pytest.raises(SettingError) as wrong:
        Settings.load({"COMITIUM_STORE": "valkey://me:canary@db"})
    assert "canary" not in str(wrong.value) + repr(wrong.value)


def test_without_limits_there_are_none():
    settings = Settings(unsafe_unlimited=True)
    assert [settings.actions, settings.creations, settings.reads, settings.registrations, settings.sockets] == [
        None
    ] * 5


def test_every_setting_says_what_it_means():
    assert list(Settings.__struct_fields__) == NAMES
    for setting in describe():
        assert setting.variable == "COMITIUM_" + setting.name.upper()
        assert setting.option == "--" + setting.name.replace("_", "-")
        assert setting.meaning.endswith(".")
        assert setting.allowed
        assert "None" not in setting.allowed + setting.default


def test_what_weakens_says_so():
    assert [name for name in NAMES if name.startswith("unsafe_")] == ["unsafe_unlimited"]


@given(st.sampled_from(describe()), st.text(max_size=30))
def test_any_text_is_a_value_or_a_typed_error(setting, text):
    try:
        settings = Settings.load({setting.variable: text})
    except SettingError:
        return
    value = getattr(settings, setting.name)
    assert not isinstance(value, float) or math.isfinite(value)
