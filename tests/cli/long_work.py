"""Operations and history as the API words them."""

from typing import Any

from client.scripted import Told

from .fake import CREATED, FakeApi

AnyJson = Any
OPERATIONS = "/v1/organizations/acme/operations"
HOST = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
OPERATION = {
    "id": "t1",
    "verb": "build",
    "target": "host/web-1-id",
    "state": "running",
    "done": False,
    "create_time": CREATED,
    "end_time": None,
    "progress": {"step": "a", "number": 1, "of": 2, "percent": 0, "message": "waiting"},
    "cancel_requested": False,
}
GENERATION = {
    "generation": 2,
    "verb": "changed",
    "by": "ann",
    "at": CREATED,
    "spec": {},
    "labels": {},
    "protected": False,
    "changed": [{"field": "spec.size", "before": 1, "after": 2}],
}


DELIVERY = {"id": "t1", "event": "acme/7", "type": "x", "state": "parked", "message": "no answer"}
WEBHOOK = "/v1/organizations/acme/webhooks/ci"


def with_operations(api: FakeApi) -> None:
    api.answers["GET", f"{WEBHOOK}/deliveries"] = Told(body={"items": [DELIVERY], "next_page_token": ""})
    api.answers["POST", f"{WEBHOOK}:redeliver"] = Told(body=DELIVERY)
    page: AnyJson = {"items": [OPERATION], "next_page_token": ""}
    api.answers["GET", OPERATIONS] = Told(body=page)
    api.answers["GET", f"{OPERATIONS}/t1"] = Told(body=OPERATION)
    api.answers["POST", f"{OPERATIONS}/t1:cancel"] = Told(body={**OPERATION, "cancel_requested": True})
    begun = {**OPERATION, "retry": {"from": "b", "stands": ["a"]}}
    api.answers["POST", f"{OPERATIONS}/t1:retry"] = Told(body=begun)
    api.answers["GET", f"{HOST}/history"] = Told(body={"items": [GENERATION], "next_page_token": ""})
