"""A plan that has more changes than one answer has room for: the client reads on by itself."""

from typing import Any

from setpoint.client.client import Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint

from .scripted import Asked, Server, Told

PLAN = "/v1/organizations/acme/plans/p1"
MANY = [{"verb": "delete", "item": f"x{number}", "asked": True, "agreed": number == 0} for number in range(3)]


def script(asked: Asked) -> Told:
    if asked.path == PLAN:
        rest = f"{PLAN}:changes"
        return Told(body={"id": "p1", "actions": MANY[:1], "asked": ["x0"], "agreed": [], "rest": rest})
    assert asked.path == f"{PLAN}:changes"
    start = int(asked.query.get("page_token", "0"))
    more = str(start + 1) if start + 1 < len(MANY) else ""
    return Told(body={"items": MANY[start : start + 1], "next_page_token": more})


def read() -> Any:
    with Server(script).serving() as server:
        client = Client(Connection(Endpoint(server.url, "token")))
        try:
            return client.plan("acme", "p1")
        finally:
            client.close()


def test_a_plan_is_read_to_its_last_change() -> None:
    plan = read()
    assert [action["item"] for action in plan["actions"]] == ["x0", "x1", "x2"]
    assert (plan["asked"], plan["agreed"], plan["rest"]) == (["x0", "x1", "x2"], ["x0"], "")
