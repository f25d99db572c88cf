"""/firewalls: rules, and what they are applied to."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.actions import Work
from setpoint.sim.hetzner.answers import answer, begin, listed, require_visible, shown_actions
from setpoint.sim.hetzner.body import read
from setpoint.sim.hetzner.cloud import Cloud, changed_firewall
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import Mistake, invalid_input, unprocessable
from setpoint.sim.hetzner.resources.actions import routes_of
from setpoint.sim.hetzner.values.action import Action, ResourceRef
from setpoint.sim.hetzner.values.firewall import (
    Firewall,
    FirewallResource,
    Rule,
    mistakes_in_resources,
    mistakes_in_rules,
    shown,
)

FirewallName = Annotated[str, Meta(min_length=1, max_length=128)]
Rules = Annotated[tuple[Rule, ...], Meta(max_length=50)]


class NewFirewall(msgspec.Struct, frozen=True, kw_only=True):
    name: FirewallName
    labels: Labels | None = None
    rules: Rules = ()
    apply_to: tuple[FirewallResource, ...] = ()


class FirewallChange(msgspec.Struct, frozen=True, kw_only=True):
    name: FirewallName | None = None
    labels: Labels | None = None


class NewRules(msgspec.Struct, frozen=True):
    rules: Rules


class Applying(msgspec.Struct, frozen=True):
    apply_to: tuple[FirewallResource, ...]


class Removing(msgspec.Struct, frozen=True):
    remove_from: tuple[FirewallResource, ...]


def routes(cloud: Cloud) -> Sequence[Route]:
    resource = _Firewalls(cloud)
    one = "/firewalls/{id:int}"
    return [
        *routes_of(cloud, "firewalls", "firewall", "{id:int}", resource.ref),
        Route("/firewalls", resource.list_all),
        Route("/firewalls", resource.create, methods=["POST"]),
        Route(one, resource.get),
        Route(one, resource.change, methods=["PUT"]),
        Route(one, resource.delete, methods=["DELETE"]),
        Route(f"{one}/actions/set_rules", resource.set_rules, methods=["POST"]),
        Route(f"{one}/actions/apply_to_resources", resource.apply, methods=["POST"]),
        Route(f"{one}/actions/remove_from_resources", resource.remove, methods=["POST"]),
    ]


class _Firewalls:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._listing: Listing[Firewall] = Listing(
            key="firewalls",
            show=self._shown,
            sortable={
                "id": lambda firewall: firewall.id,
                "name": lambda firewall: firewall.name,
                "created": lambda firewall: firewall.created,
            },
            filters={"name": lambda firewall: firewall.name},
            labels=lambda firewall: firewall.labels,
            created=lambda firewall: firewall.created,
        )

    def ref(self, request: Request) -> ResourceRef:
        return self._named(request).ref

    async def list_all(self, request: Request) -> Response:
        return listed(self._cloud, request, tuple(self._cloud.firewalls), self._listing)

    async def get(self, request: Request) -> Response:
        firewall = self._named(request)
        require_visible(self._cloud, request, firewall.created)
        return answer(200, {"firewall": self._shown(firewall)})

    async def create(self, request: Request) -> Response:
        body = await read(request, NewFirewall)
        _require_none([*mistakes_in_rules(body.rules), *mistakes_in_resources("apply_to", body.apply_to)])
        self._require_servers(body.apply_to)
        firewall = Firewall(
            id=self._cloud.new_id(),
            name=body.name,
            created=self._cloud.now(),
            labels=body.labels or {},
            rules=body.rules,
            applied_to=body.apply_to,
        )
        self._put(firewall, "create")
        actions = [
            begin(self._cloud, request, Work("set_firewall_rules", (firewall.ref,))),
            *self._begun(request, "apply_firewall", firewall, body.apply_to),
        ]
        return answer(
            201, {"firewall": self._shown(firewall), "actions": shown_actions(self._cloud, actions)}
        )

    async def change(self, request: Request) -> Response:
        body = await read(request, FirewallChange)
        firewall = self._named(request)
        changed = replace(
            firewall,
            name=firewall.name if body.name is None else body.name,
            labels=firewall.labels if body.labels is None else body.labels,
        )
        self._put(changed, "update")
        return answer(200, {"firewall": self._shown(changed)})

    async def delete(self, request: Request) -> Response:
        firewall = self._named(request)
        if firewall.applied_to:
            number = len(firewall.applied_to)
            raise unprocessable(
                f"firewall '{firewall.name}' is applied to {number} resources", "resource_in_use"
            )
        self._cloud.firewalls.drop(firewall.id)
        self._cloud.log.write("delete", changed_firewall(firewall))
        return Response(status_code=204)

    async def set_rules(self, request: Request) -> Response:
        body = await read(request, NewRules)
        firewall = self._named(request)
        _require_none(mistakes_in_rules(body.rules))
        self._put(replace(firewall, rules=body.rules), "set_rules")
        actions = [
            begin(self._cloud, request, Work("set_firewall_rules", (firewall.ref,))),
            *self._begun(request, "apply_firewall", firewall, firewall.applied_to),
        ]
        return answer(201, {"actions": shown_actions(self._cloud, actions)})

    async def apply(self, request: Request) -> Response:
        body = await read(request, Applying)
        firewall = self._named(request)
        _require_none(mistakes_in_resources("apply_to", body.apply_to))
        self._require_servers(body.apply_to)
        already = [one for one in body.apply_to if one in firewall.applied_to]
        if already:
            raise unprocessable("the firewall is already applied", "firewall_already_applied")
        self._put(replace(firewall, applied_to=(*firewall.applied_to, *body.apply_to)), "apply_to_resources")
        actions = self._begun(request, "apply_firewall", firewall, body.apply_to)
        return answer(201, {"actions": shown_actions(self._cloud, actions)})

    async def remove(self, request: Request) -> Response:
        body = await read(request, Removing)
        firewall = self._named(request)
        _require_none(mistakes_in_resources("remove_from", body.remove_from))
        if any(one not in firewall.applied_to for one in body.remove_from):
            raise unprocessable("the firewall is not applied there", "firewall_already_removed")
        kept = tuple(one for one in firewall.applied_to if one not in body.remove_from)
        self._put(replace(firewall, applied_to=kept), "remove_from_resources")
        actions = self._begun(request, "remove_firewall", firewall, body.remove_from)
        return answer(201, {"actions": shown_actions(self._cloud, actions)})

    def _named(self, request: Request) -> Firewall:
        return self._cloud.firewalls.get(request.path_params["id"])

    def _shown(self, firewall: Firewall) -> dict[str, object]:
        return shown(firewall, self._cloud.servers)

    def _put(self, firewall: Firewall, verb: str) -> None:
        self._cloud.firewalls.put(firewall)
        self._cloud.log.write(verb, changed_firewall(firewall))

    def _require_servers(self, resources: Iterable[FirewallResource]) -> None:
        for resource in resources:
            if resource.server is not None:
                self._cloud.servers.get(resource.server.id)

    def _begun(
        self, request: Request, command: str, firewall: Firewall, resources: Iterable[FirewallResource]
    ) -> list[Action]:
        """One action for every server that the resources cover now."""
        over = tuple(resources)
        covered = [server for server in self._cloud.servers if any(one.covers(server) for one in over)]
        works = (Work(command, (firewall.ref, server.ref)) for server in covered)
        return [begin(self._cloud, request, work) for work in works]


def _require_none(mistakes: list[Mistake]) -> None:
    if mistakes:
        raise invalid_input(mistakes)
