"""A pause of one tenant's object is nobody else's news, and is in that tenant's own audit."""

import json
import threading
import urllib.request
from pathlib import Path

from .kit import ENOUGH, Caller, Installation

MARKER = "incident initrode: a customer is suing"


class Ear:
    """An open stream of one organization, read in the background."""

    def __init__(self, caller: Caller, url: str, organization: str) -> None:
        address = f"{url}/v1/organizations/{organization}/events?watch=1"
        asked = urllib.request.Request(  # noqa: S310 - our own installation
            address, headers={"Authorization": f"Bearer {caller.token}"}
        )
        self._stream = urllib.request.urlopen(asked, timeout=ENOUGH)  # noqa: S310 - as above
        self.heard = b""
        self._until = threading.Event()
        self._wanted = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._stream:
            self.heard += line
            if self._wanted and self._wanted in self.heard:
                self._until.set()

    def until(self, wanted: str) -> None:
        self._wanted = wanted.encode()
        if self._wanted not in self.heard:
            assert self._until.wait(ENOUGH), self.heard


def test_the_pause_of_one_object_is_told_to_its_own_tenant_alone(
    installation: Installation, tmp_path: Path
) -> None:
    ours, theirs = installation.organization("beta"), installation.organization("gamma")
    project = installation.project(theirs)
    where = f"{project}/monitoring_objects/front"
    installation.admin.put(where, {"probe": "http", "target": "http://127.0.0.1:9/"})
    contractor, owner = installation.service(ours, "member"), installation.service(theirs, "owner")
    ears = [Ear(contractor, url, ours) for url in installation.admin.urls]
    own = Ear(owner, installation.url, theirs)
    for verb in ("pause", "resume"):
        for held in (where, project, f"/v1/organizations/{theirs}"):
            owner.good("POST", f"{held}:{verb}", {"reason": MARKER} if verb == "pause" else None)
    owner.good("PUT", f"/v1/switches/scope:{theirs}", {"mode": "stop", "reason": MARKER})
    installation.admin.call("DELETE", f"/v1/switches/scope:{theirs}")
    installation.admin.good("PUT", "/v1/switches/kind:webhook", {"mode": "stop", "reason": "the last word"})
    try:
        for ear in (*ears, own):
            ear.until("the last word")
    finally:
        installation.admin.good("DELETE", "/v1/switches/kind:webhook")
    for ear in ears:
        assert MARKER.encode() not in ear.heard
        assert theirs.encode() not in ear.heard
    assert own.heard.count(MARKER.encode()) >= 4
    lines = owner.good("GET", f"/v1/organizations/{theirs}/audit?page_size=200")["items"]
    said = [line["detail"]["reason"] for line in lines if line["action"] == "switch.set"]
    assert said.count(MARKER) >= 4
    assert MARKER not in json.dumps(installation.admin.every("/v1/audit"))
