"""Every setting: one frozen model, read once, all mistakes reported together."""

import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Annotated, Final, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

PREFIX: Final = "SETPOINT_"
EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
"""Addresses to listen at that nobody can be sent to, and where they are reached from here."""
LOCAL: Final = "local"
LOOKS_LIKE_A_HOST: Final = re.compile(r"(\*\.)?[\w.-]+(:\d{1,5})?\Z")
HOST: Final = re.compile(r"([\w.-]+|[\da-f:.]+)\Z")
SYSLOG: Final = re.compile(r"(\[(?P<address>[\da-fA-F:.]+)\]|(?P<name>[\w.-]+))(:(?P<port>\S*))?\Z")
SYSLOG_PORT: Final = 514
LAST_PORT: Final = 65_535
LOOPBACK: Final = "127.0.0.0/8,::1/128"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a process needs to know; each field is also an environment variable, `SETPOINT_PORT` and so on."""

    data: Annotated[str, Meta(description="Folder for the database, secrets and tokens.")] = ".setpoint"
    database: Annotated[
        str, Meta(description="postgresql://… for several processes; empty: SQLite in the data folder.")
    ] = ""
    master_key_file: Annotated[
        str, Meta(description="The key that secrets are kept under; empty: master.key in the data folder.")
    ] = ""
    master_key: Annotated[
        str,
        Meta(
            description="That key itself, as base64, instead of a file; whoever sees the environment sees it."
        ),
    ] = ""
    allow_unsafe_database: Annotated[
        bool, Meta(description="For tests: take a database that may lose what it has confirmed.")
    ] = False
    hints: Annotated[
        str, Meta(description="redis://… to carry hints between processes; empty: the database does.")
    ] = ""
    runner: Annotated[
        str,
        Meta(
            description="Who runs pipelines: embedded, or temporal://host:port/namespace.",
            pattern=r"^(embedded|temporal://[\w.-]+:\d{1,5}/[\w.-]+)$",
        ),
    ] = "embedded"
    host: Annotated[str, Meta(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(description="Port to listen on; 0 picks a free one.", ge=0, le=65535)] = 7410
    public_url: Annotated[
        str,
        Meta(
            description="Address that agents and people reach this at, as behind a proxy; "
            "empty: host and port. SETPOINT_URL is for clients, and is not read here."
        ),
    ] = ""
    passes_at_once: Annotated[int, Meta(description="Passes under way at the same time.", ge=1)] = 16
    tasks_at_once: Annotated[int, Meta(description="Tasks under way at the same time.", ge=1)] = 8
    heartbeat_seconds: Annotated[
        float, Meta(description="How often agents report; silence is three times this.", gt=0)
    ] = 10.0
    park_seconds: Annotated[
        float, Meta(description="How long a deleted host stays parked before it is destroyed.", ge=0)
    ] = 7 * 86400.0
    settle_seconds: Annotated[
        float,
        Meta(description="How long a call may land, or its effect stay unseen, after its deadline.", ge=0),
    ] = 30.0
    lease_seconds: Annotated[
        float,
        Meta(description="How long a replica that falls silent keeps its work; calls must be shorter.", ge=3),
    ] = 30.0
    call_seconds: Annotated[float, Meta(description="Deadline of one call to a provider.", gt=0, le=15)] = (
        15.0
    )
    inventory_seconds: Annotated[
        float, Meta(description="How long one listing of an account serves all who ask.", ge=0)
    ] = 5.0
    max_body_bytes: Annotated[int, Meta(description="Largest request body accepted.", ge=1024)] = (
        4 * 1024 * 1024
    )
    people_key_file: Annotated[
        str,
        Meta(
            description="Key that second factors and letters are sealed with, one for all replicas; "
            "empty: people.key in the data folder."
        ),
    ] = ""
    credential_rate: Annotated[
        float,
        Meta(description="Requests a second that one credential may make; ten seconds' worth at once.", ge=0),
    ] = 500.0
    organization_rate: Annotated[
        float,
        Meta(description="The same for all credentials of an organization together; 0: no limit.", ge=0),
    ] = 2000.0
    credential_streams: Annotated[
        int, Meta(description="Streams of events that one credential may have open; 0: no limit.", ge=0)
    ] = 200
    organization_streams: Annotated[
        int, Meta(description="The same for all credentials of an organization together.", ge=0)
    ] = 1000
    organization_objects: Annotated[
        int, Meta(description="Objects that one organization may have; 0: no limit.", ge=0)
    ] = 100_000
    organization_bytes: Annotated[
        int, Meta(description="How large they may be together, as they are stored; 0: no limit.", ge=0)
    ] = 1024**3
    connections: Annotated[
        int,
        Meta(description="Connections open at once; 0: three quarters of the files we may have open.", ge=0),
    ] = 0
    connections_per_address: Annotated[
        int, Meta(description="Of those, from one address; 0: a quarter of them.", ge=0)
    ] = 0
    head_seconds: Annotated[
        float, Meta(description="How long the head of a request may take; its body four times that.", gt=0)
    ] = 15.0
    private_networks: Annotated[
        str,
        Meta(
            description="Networks that webhooks and probes may reach although they are private, by commas: "
            "10.20.0.0/16,fd00::/8."
        ),
    ] = ""
    provider_networks: Annotated[
        str,
        Meta(
            description="Private networks that accounts of providers may be at, by commas; local: "
            "this machine itself, unless there is a database for several."
        ),
    ] = "local"
    audit_checkpoints: Annotated[
        str,
        Meta(
            description="Where sealed checkpoints of the audit go, out of reach of who writes the database: "
            "file:/PATH or syslog:HOST:PORT (syslog:/dev/log); empty: audit.checkpoints in the data folder.",
            pattern=r"^(file:/\S+|syslog:\S+)?$",
        ),
    ] = ""
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Networks of proxies in front of this, by commas: X-Forwarded-For and Forwarded are "
            "believed from these alone, and neither where they name different clients. Empty: from nobody, "
            "not even from this machine."
        ),
    ] = ""
    allowed_hosts: Annotated[
        str,
        Meta(
            description="Names that this answers to besides the one in public_url, its own and localhost, by "
            "commas: setpoint.example.org,*.internal.example:7410. Addresses are always answered."
        ),
    ] = ""
    log_requests: Annotated[
        bool, Meta(description="Whether changes and refusals of the API get a line in the log.")
    ] = True
    smtp: Annotated[
        str,
        Meta(
            description="smtps://user@host:port or smtp://… delivers letters to people; "
            "empty: they wait in the outbox.",
            pattern=r"^(smtps?://([^:@/]+@)?[^:@/]+(:\d{1,5})?)?$",
        ),
    ] = ""
    smtp_from: Annotated[str, Meta(description="Whom letters come from.")] = "setpoint@localhost"
    smtp_password_file: Annotated[
        str, Meta(description="File with the password of the mail server; empty: it asks for none.")
    ] = ""
    session_seconds: Annotated[
        float, Meta(description="How long a person stays signed in at most.", ge=60)
    ] = 12 * 3600.0
    session_idle_seconds: Annotated[
        float, Meta(description="How long a person stays signed in without doing anything.", ge=60)
    ] = 1800.0
    verify_organizations: Annotated[
        bool, Meta(description="New organizations begin in setup: nothing is declared in them before a yes.")
    ] = False
    intervals: Annotated[
        dict[str, float],
        Meta(description="Seconds between looks, by kind, other than the default: host=10,dns_zone=60."),
    ] = msgspec.field(default_factory=dict)
    fail_at: Annotated[
        str, Meta(description="For tests: end this process at a point of the act protocol, as call.after:3.")
    ] = ""
    limits: Annotated[
        dict[str, float],
        Meta(
            description="Limits other than the defaults, for all, a kind or one object: "
            "deletes_ceiling=5,dns_zone.deletes_share=0.05,dns_zone/main.shrink_share=0.1."
        ),
    ] = msgspec.field(default_factory=dict)

    @property
    def provider_places(self) -> str:
        """Those networks, by commas. What runs on one machine only may have a simulated cloud beside it."""
        here = "" if self.database else LOOPBACK
        return ",".join(here if each.strip() == LOCAL else each for each in self.provider_networks.split(","))


class BadSettings(ValueError):
    """One message that lists every mistake."""


def read_settings(environment: Mapping[str, str], flags: Mapping[str, object]) -> Settings:
    """Flags win over the environment, the environment over defaults."""
    hints = get_type_hints(Settings, include_extras=True)
    values: dict[str, object] = {}
    mistakes: list[str] = []
    for name, hint in hints.items():
        raw = flags.get(name)
        source = f"--{name.replace('_', '-')}"
        if raw is None:
            source = PREFIX + name.upper()
            raw = environment.get(source)
        if raw is None:
            continue
        try:
            values[name] = msgspec.convert(_parsed(name, raw), hint, strict=False)
        except (msgspec.ValidationError, ValueError) as error:
            mistakes.append(f"{source}={raw}: {error}")
    settings = Settings(**values)  # type: ignore[arg-type]
    mistakes += _mistakes(settings)
    if settings.call_seconds > settings.lease_seconds / 2 and not mistakes:
        mistakes.append(
            f"call_seconds={settings.call_seconds:g} is more than half of lease_seconds="
            f"{settings.lease_seconds:g}: no call would ever begin"
        )
    if mistakes:
        raise BadSettings("\n".join(mistakes))
    return settings


def address_of(host: str, port: int) -> str:
    """Where a service that listens there answers somebody on this machine."""
    reached = EVERYWHERE.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def syslog_at(place: str) -> str | tuple[str, int]:
    """The socket, or host and port, that checkpoints are sent to; ValueError where that is neither."""
    if place.startswith("/"):
        return place
    found = SYSLOG.match(place)
    if found is None:
        raise ValueError(f"{place} is neither HOST:PORT nor the /PATH of a socket")
    host, port = found["address"] or found["name"], found["port"] or str(SYSLOG_PORT)
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) <= LAST_PORT):
        raise ValueError(f"{port} is no port; a port is a number from 1 to {LAST_PORT}")
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise ValueError(f"{host} is no host: {error}") from error
    return host, int(port)


def _mistakes(settings: Settings) -> Iterator[str]:
    """What no type can say."""
    for name in ("private_networks", "provider_networks", "trusted_proxies"):
        yield from _network_mistakes(name, getattr(settings, name))
    for each in settings.allowed_hosts.split(","):
        if each.strip() and not LOOKS_LIKE_A_HOST.match(each.strip()):
            yield f"{PREFIX}ALLOWED_HOSTS={settings.allowed_hosts}: {each.strip()} is no host"
    if settings.public_url and not _names_a_host(settings.public_url):
        yield f"{PREFIX}PUBLIC_URL={settings.public_url}: nobody reaches that; name a host"
    sort, _, place = settings.audit_checkpoints.partition(":")
    if sort == "syslog":
        try:
            syslog_at(place)
        except ValueError as error:
            yield f"{PREFIX}AUDIT_CHECKPOINTS={settings.audit_checkpoints}: {error}"


def _names_a_host(url: str) -> bool:
    """Whether an address leads to one host: a name or an address, not all of this machine's at once."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host not in EVERYWHERE and HOST.match(host) is not None


def _network_mistakes(name: str, text: str) -> Iterator[str]:
    words = ("", LOCAL) if name == "provider_networks" else ("",)
    for each in text.split(","):
        try:
            if each.strip() not in words:
                ip_network(each.strip())
        except ValueError as error:
            yield f"{PREFIX}{name.upper()}={text}: {error}"


def _parsed(name: str, raw: object) -> object:
    if name not in ("intervals", "limits") or not isinstance(raw, str):
        return raw
    pairs = (pair.partition("=") for pair in raw.split(",") if pair)
    return {kind.strip(): float(seconds) for kind, _, seconds in pairs}
