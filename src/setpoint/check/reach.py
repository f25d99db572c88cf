"""What else is configured, reached for: Temporal, which tasks need; Redis, which only saves time."""

import socket
from typing import Final
from urllib.parse import unquote, urlsplit

from setpoint.check.finding import Finding, fail, masked, ok, warn, without
from setpoint.runners.address import read_runner

SECONDS: Final = 5.0
REDIS_PORT: Final = 6379
CURE: Final = "start it, or correct SETPOINT_RUNNER (embedded needs no Temporal)"


async def temporal(written: str) -> Finding:
    """Asked for the namespace: a server that has none of that name runs no task."""
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest  # noqa: PLC0415 - not everybody has it
    from temporalio.client import Client  # noqa: PLC0415 - as above
    from temporalio.service import RPCError, RPCStatusCode  # noqa: PLC0415 - as above

    address = read_runner(written)
    if address is None:
        return ok("temporal", "not needed: tasks run on the database")
    try:
        client = await Client.connect(address.server, namespace=address.namespace)
        await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=address.namespace)
        )
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            cure = f"temporal operator namespace create {address.namespace}, or correct SETPOINT_RUNNER"
            return fail("temporal", f"{address.server} has no namespace {address.namespace}", cure)
        return fail("temporal", f"{address.server}: {error.message}", CURE)
    except RuntimeError:
        # A connection that cannot be made is a bare RuntimeError of the library, with pages of words.
        return fail("temporal", f"{address.server} does not answer", CURE)
    return ok("temporal", f"{address.server} has the namespace {address.namespace}")


def redis(url: str) -> Finding:
    """Without it hints are late by two seconds, so nothing here fails."""
    cure = "start it, or correct SETPOINT_HINTS (empty: no Redis); until then changes are noticed 2 s later"
    try:
        answer = _ping(url)
    except OSError as error:
        return warn("redis", f"{masked(url)}: {error.strerror or error}", cure)
    if "+PONG" not in answer:
        return warn("redis", f"{masked(url)}: {without(answer.strip(), url)}", cure)
    return ok("redis", f"{masked(url)} answers")


def _ping(url: str) -> str:
    """Its answer, in its own words; `rediss://` is only knocked at."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or REDIS_PORT), SECONDS) as talk:
        if parts.scheme == "rediss":
            return "+PONG"
        login = [unquote(word) for word in (parts.username, parts.password) if word]
        talk.sendall((_said("AUTH", *login) if login else b"") + _said("PING"))
        talk.settimeout(SECONDS)
        answer = b""
        while answer.count(b"\r\n") < 1 + bool(login):
            piece = talk.recv(4096)
            if not piece:
                break
            answer += piece
    return answer.decode(errors="replace").removeprefix("+OK\r\n")


def _said(*words: str) -> bytes:
    parts = [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
    return f"*{len(words)}\r\n{''.join(parts)}".encode()
