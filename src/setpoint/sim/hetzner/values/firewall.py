"""A firewall: rules, and the servers they hold for, by id or by label."""

from collections.abc import Iterable
from ipaddress import ip_network
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from setpoint.sim.hetzner.instant import written
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.refusal import Mistake
from setpoint.sim.hetzner.selector import parse, selects
from setpoint.sim.hetzner.values.action import ResourceRef
from setpoint.sim.hetzner.values.server import Server

_WITH_PORTS = ("tcp", "udp")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    direction: Literal["in", "out"]
    protocol: Literal["tcp", "udp", "icmp", "esp", "gre"]
    source_ips: tuple[str, ...] = ()
    destination_ips: tuple[str, ...] = ()
    port: Annotated[str, Meta(pattern=r"^(any|\d{1,5}(-\d{1,5})?)$")] | None = None
    description: Annotated[str, Meta(max_length=255)] | None = None


class ServerId(msgspec.Struct, frozen=True):
    id: int


class LabelSelector(msgspec.Struct, frozen=True):
    selector: str


class FirewallResource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a firewall is applied to: one server, or every server a selector selects."""

    type: Literal["server", "label_selector"]
    server: ServerId | None = None
    label_selector: LabelSelector | None = None

    def covers(self, server: Server) -> bool:
        if self.server is not None:
            return self.server.id == server.id
        return self.label_selector is not None and selects(parse(self.label_selector.selector), server.labels)


class Firewall(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    created: float
    labels: Labels = {}
    rules: tuple[Rule, ...] = ()
    applied_to: tuple[FirewallResource, ...] = ()

    @property
    def ref(self) -> ResourceRef:
        return ResourceRef("firewall", self.id)

    def covers(self, server: Server) -> bool:
        return any(resource.covers(server) for resource in self.applied_to)


def shown(firewall: Firewall, servers: Iterable[Server]) -> dict[str, object]:
    """A firewall as the API writes it; a selector comes with the servers it selects now."""
    everywhere = tuple(servers)
    return {
        "id": firewall.id,
        "name": firewall.name,
        "labels": firewall.labels,
        "created": written(firewall.created),
        "rules": firewall.rules,
        "applied_to": [_shown_resource(resource, everywhere) for resource in firewall.applied_to],
    }


def mistakes_in_rules(rules: Iterable[Rule]) -> list[Mistake]:
    """What the shape of a rule cannot say: ports go with protocols, addresses with directions."""
    return [
        (f"rules.{index}.{field}", message)
        for index, rule in enumerate(rules)
        for field, message in _mistakes(rule)
    ]


def mistakes_in_resources(field: str, resources: Iterable[FirewallResource]) -> list[Mistake]:
    """A resource must carry what its type says, and a selector must be readable."""
    mistakes = []
    for index, resource in enumerate(resources):
        place = f"{field}.{index}.{resource.type}"
        if getattr(resource, resource.type) is None:
            mistakes.append((place, f"is required for type {resource.type!r}"))
        elif resource.label_selector is not None:
            try:
                parse(resource.label_selector.selector)
            except ValueError as error:
                mistakes.append((place, str(error)))
    return mistakes


def _mistakes(rule: Rule) -> list[Mistake]:
    mistakes = []
    if rule.protocol in _WITH_PORTS and rule.port is None:
        mistakes.append(("port", f"is required for {rule.protocol}"))
    if rule.protocol not in _WITH_PORTS and rule.port is not None:
        mistakes.append(("port", f"is not supported for {rule.protocol}"))
    if rule.direction == "in" and not rule.source_ips:
        mistakes.append(("source_ips", "is required for direction 'in'"))
    if rule.direction == "out" and not rule.destination_ips:
        mistakes.append(("destination_ips", "is required for direction 'out'"))
    for field, networks in (("source_ips", rule.source_ips), ("destination_ips", rule.destination_ips)):
        mistakes += [(field, f"{text!r} is not a network") for text in networks if not _is_network(text)]
    return mistakes


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return "/" in text


def _shown_resource(resource: FirewallResource, servers: tuple[Server, ...]) -> object:
    if resource.label_selector is None:
        return resource
    covered = [{"type": "server", "server": {"id": one.id}} for one in servers if resource.covers(one)]
    return {"type": resource.type, "label_selector": resource.label_selector, "applied_to_resources": covered}
