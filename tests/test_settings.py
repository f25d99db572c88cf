"""Settings: flags win over the environment, that over defaults, and all mistakes are told together."""

import msgspec
import pytest

from setpoint.cli.flags import VARIABLES
from setpoint.settings import PREFIX, BadSettings, Settings, address_of, read_settings, syslog_at


def test_nothing_said_means_the_defaults() -> None:
    assert read_settings({}, {}) == Settings()
    assert read_settings({"PATH": "/bin", "SETPOINT_URL": "http://x"}, {"port": None}).port == Settings().port


def test_a_variable_means_one_thing_for_clients_or_for_services() -> None:
    settings = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    assert not settings & set(VARIABLES)
    assert read_settings({"SETPOINT_URL": "http://127.0.0.1:7498"}, {}) == Settings()


def test_an_address_is_one_that_this_machine_reaches() -> None:
    assert address_of("127.0.0.1", 1) == address_of("0.0.0.0", 1) == "http://127.0.0.1:1"  # noqa: S104
    assert address_of("::", 1) == address_of("::1", 1) == "http://[::1]:1"
    assert address_of("db.example.org", 80) == "http://db.example.org:80"


def test_a_flag_wins_over_the_environment() -> None:
    environment = {"SETPOINT_PORT": "1", "SETPOINT_HOST": "::1"}
    settings = read_settings(environment, {"port": "2", "data": "/srv"})
    assert (settings.port, settings.host, settings.data) == (2, "::1", "/srv")


def test_intervals_are_read_by_kind() -> None:
    settings = read_settings({"SETPOINT_INTERVALS": "host=10, dns_zone=0.5,"}, {})
    assert settings.intervals == {"host": 10.0, "dns_zone": 0.5}


@pytest.mark.parametrize(
    ("said", "database", "places"),
    [
        (None, "", "127.0.0.0/8,::1/128"),
        (None, "postgresql://db/setpoint", ""),
        ("", "", ""),
        ("10.0.0.0/8", "", "10.0.0.0/8"),
        ("10.0.0.0/8, local", "", "10.0.0.0/8,127.0.0.0/8,::1/128"),
        ("127.0.0.0/8", "postgresql://db/setpoint", "127.0.0.0/8"),
    ],
)
def test_providers_may_be_beside_us_on_one_machine_and_elsewhere_only_where_it_is_said(
    said: str | None, database: str, places: str
) -> None:
    environment = {"SETPOINT_DATABASE": database}
    if said is not None:
        environment["SETPOINT_PROVIDER_NETWORKS"] = said
    assert read_settings(environment, {}).provider_places == places


@pytest.mark.parametrize("name", ["PRIVATE_NETWORKS", "PROVIDER_NETWORKS"])
def test_a_network_that_is_none_is_told_by_the_name_of_its_setting(name: str) -> None:
    with pytest.raises(BadSettings, match=f"SETPOINT_{name}=10.0.0.0/8,nonsense: 'nonsense'"):
        read_settings({f"SETPOINT_{name}": "10.0.0.0/8,nonsense"}, {})
    assert read_settings({f"SETPOINT_{name}": "10.0.0.0/8,"}, {})


def test_every_mistake_is_in_one_message() -> None:
    environment = {
        "SETPOINT_PORT": "99999",
        "SETPOINT_PASSES_AT_ONCE": "many",
        "SETPOINT_CALL_SECONDS": "60",
        "SETPOINT_HEARTBEAT_SECONDS": "0",
        "SETPOINT_INTERVALS": "host=soon",
        "SETPOINT_MAX_BODY_BYTES": "1",
    }
    with pytest.raises(BadSettings) as told:
        read_settings(environment, {"port": "-1"})
    lines = str(told.value).splitlines()
    assert [line.partition("=")[0] for line in lines] == [
        "--port",
        "SETPOINT_PASSES_AT_ONCE",
        "SETPOINT_HEARTBEAT_SECONDS",
        "SETPOINT_CALL_SECONDS",
        "SETPOINT_MAX_BODY_BYTES",
        "SETPOINT_INTERVALS",
    ]
    assert lines[0].startswith("--port=-1: ")


def test_mistakes_that_only_one_setting_or_two_together_show_are_in_the_same_message() -> None:
    environment = {
        "SETPOINT_PORT": "99999",
        "SETPOINT_TRUSTED_PROXIES": "nonsense",
        "SETPOINT_ALLOWED_HOSTS": "a b,https://c",
        "SETPOINT_AUDIT_CHECKPOINTS": "syslog:logs:notaport",
    }
    with pytest.raises(BadSettings) as told:
        read_settings(environment, {})
    lines = str(told.value).splitlines()
    assert [line.partition("=")[0].removeprefix("SETPOINT_") for line in lines] == [
        *("PORT", "TRUSTED_PROXIES", "ALLOWED_HOSTS", "ALLOWED_HOSTS", "AUDIT_CHECKPOINTS")
    ]
    assert lines[-1].endswith(": notaport is no port; a port is a number from 1 to 65535")


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("/dev/log", "/dev/log"),
        ("logs.internal", ("logs.internal", 514)),
        ("logs:", ("logs", 514)),
        ("logs:6514", ("logs", 6514)),
        ("192.0.2.1:514", ("192.0.2.1", 514)),
        ("[::1]", ("::1", 514)),
        ("[2001:db8::1]:6514", ("2001:db8::1", 6514)),
    ],
)
def test_syslog_is_a_socket_or_a_host_with_or_without_a_port(place: str, address: object) -> None:
    assert syslog_at(place) == address
    assert read_settings({"SETPOINT_AUDIT_CHECKPOINTS": f"syslog:{place}"}, {})


@pytest.mark.parametrize("field", msgspec.structs.fields(Settings), ids=lambda field: field.name)
def test_every_setting_says_what_it_is_for(field: msgspec.structs.FieldInfo) -> None:
    shown = msgspec.json.schema(Settings)["$defs"]["Settings"]["properties"][field.name]
    assert shown["description"].endswith(".")
    assert "default" in shown


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SETPOINT_TRUSTED_PROXIES", "not a network"),
        ("SETPOINT_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("SETPOINT_ALLOWED_HOSTS", "https://setpoint.example.org"),
        ("SETPOINT_AUDIT_CHECKPOINTS", "somewhere"),
        *(
            ("SETPOINT_AUDIT_CHECKPOINTS", f"syslog:{place}")
            for place in (
                *("logs:notaport", "logs:0", "logs:65536", "logs:²", "[::1]:x", "::1", "[logs]:514"),
                *(":514", "a@logs:514", "logs:514/x", "logs..internal:514", f"{'x' * 64}.internal"),
            )
        ),
        ("SETPOINT_PUBLIC_URL", "http://0.0.0.0:7410"),
        ("SETPOINT_PUBLIC_URL", "http://[::]:7410"),
        ("SETPOINT_PUBLIC_URL", "http://["),
        ("SETPOINT_PUBLIC_URL", "http://a b"),
        ("SETPOINT_PUBLIC_URL", "https://:7410"),
    ],
)
def test_what_would_open_or_shut_too_much_is_refused_at_the_start(name: str, value: str) -> None:
    with pytest.raises(BadSettings, match=name):
        read_settings({name: value}, {})
