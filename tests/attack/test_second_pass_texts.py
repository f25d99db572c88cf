"""Long texts where a host is read: writing them in punycode takes minutes, and must hold up nobody."""

import pytest

from .kit import Installation, slowest_livez

LONG = "".join(map(chr, range(0x4E00, 0x4E00 + 8_000)))
"""Different characters, each of which is a turn of its own in punycode: 17 s for all of them."""
P99_SECONDS = 2.0
PROVIDER = {"family": "hetzner_cloud", "credential": "secret://none", "mode": "observe"}
ASKED = {
    "hosts of a secret": ("PUT", "/secrets/s", {"value": "x", "hosts": [LONG]}),
    "endpoint": ("PUT", "/providers/p", {"spec": {**PROVIDER, "endpoint": f"https://{LONG}/v1"}}),
    "webhook": (
        "PUT",
        "/webhooks/w",
        {"spec": {"url": f"https://{LONG}/", "events": ["*"], "secret": "secret://none"}},
    ),
    "channel": ("PUT", "/notification_channels/c", {"spec": {"url": f"https://{LONG}/"}}),
    "target": (
        "PUT",
        "/projects/shop/monitoring_objects/m",
        {"spec": {"probe": "tcp", "target": f"{LONG[:1_900]}:80"}},
    ),
    "domain": ("PUT", "/projects/shop/dns_zones/z", {"spec": {"provider": "p", "domain": f"{LONG}.example"}}),
    "name": (
        "PUT",
        "/projects/shop/dns_records/r",
        {"spec": {"zone": "z", "name": LONG, "type": "A", "values": ["192.0.2.1"]}},
    ),
    "value": (
        "PUT",
        "/projects/shop/dns_records/r",
        {"spec": {"zone": "z", "name": "r", "type": "CNAME", "values": [f"{LONG}.example."]}},
    ),
    "membership": (
        "PUT",
        "/memberships/m",
        {"spec": {"email": f"a@{LONG}.example", "roles": [{"role": "member"}]}},
    ),
    "token": ("POST", "/tokens", {"name": "t", "role": "member", "addresses": [LONG]}),
    "sign-in": ("POST", "", {"email": f"a@{LONG}.example", "password": "x"}),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_long_name_of_a_host_stops_nobody(installation: Installation, what: str) -> None:
    name = installation.organization("long")
    installation.project(name)
    method, path, body = ASKED[what]
    where = f"/v1/organizations/{name}{path}" if path else "/v1/sessions"
    found = []
    taken = slowest_livez(
        installation.url, lambda: found.append(installation.admin.call(method, where, body))
    )
    assert taken[-1] < P99_SECONDS, f"{what}: /livez took {taken[-1]:.1f} s"
    assert found[0].status < 500, found[0]


def test_a_probe_of_a_long_name_holds_up_nobody(installation: Installation) -> None:
    name = installation.organization("long")
    where = f"{installation.project(name)}/monitoring_objects"
    for number in range(8):
        spec = {"probe": "tcp", "target": f"{LONG[:1_900]}:80", "interval_seconds": 1}
        answer = installation.admin.call("PUT", f"{where}/m{number}", {"spec": spec})
        if answer.status == 422:
            spec.pop("interval_seconds")
            installation.admin.call("PUT", f"{where}/m{number}", {"spec": spec})

    def looked_at() -> None:
        for number in range(8):
            if installation.admin.get(f"{where}/m{number}").status == 200:
                installation.admin.until(
                    f"{where}/m{number}", lambda each: each["status"]["state"] != "PENDING"
                )

    taken = slowest_livez(installation.url, looked_at)
    assert taken[-1] < P99_SECONDS, f"/livez took {taken[-1]:.1f} s"
