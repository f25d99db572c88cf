"""A real browser before a real control plane: one browser for all tests, a page for each."""

import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from real.parts import part
from setpoint.api.console import FOLDER
from setpoint.client.client import Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.demo.fleet import ORGANIZATION

from .hands import hands_of

AnyJson = Any
T = TypeVar("T")
EMAIL, PASSWORD = "ann@acme.example", "gravel-Otter-42-plinth"
PATIENCE = 60.0
AGENTS = 3
REST_AT_MOST = 8.0
PRINTED = "printed.txt"
QUIET_MS = 250
SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
"""Who saves data loads what they open, and nothing ahead."""
ARTIFACTS = Path(__file__).parent.parent.parent / ".artifacts"


@dataclass(frozen=True)
class Served:
    """A demo in a process of its own: a control plane, a simulated cloud, and somebody who signed in."""

    url: str
    found: AnyJson
    client: Client
    state: AnyJson


@dataclass
class Watched:
    """A page, and all that it asked for and complained about."""

    page: Page
    url: str
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page

    def rest(self) -> None:
        """Until it has asked for nothing new for a while; with its stream open it is never idle."""
        until, known = time.monotonic() + REST_AT_MOST, -1
        while len(self.requests) > known and time.monotonic() < until:
            known = len(self.requests)
            self.page.wait_for_timeout(QUIET_MS)


@contextlib.contextmanager
def started(folder: Path) -> Iterator[AnyJson]:
    """A new control plane with nothing declared, and the link that it prints for its first administrator."""
    with running(folder, "up", "--data", "data", "--port", "0") as found:
        printed = (folder / PRINTED).read_text
        pattern = re.compile(r"http\S+/start#[^'\s]+")
        link = eventually(lambda: pattern.search(printed()))
        yield {**found, "link": link.group()}


@contextlib.contextmanager
def demo(folder: Path) -> Iterator[AnyJson]:
    """The demo with its fleet, once all of it is there."""
    with running(folder, "demo", "--stay") as found, connected(found) as client:
        eventually(lambda: _in_step(client))
        yield found


@contextlib.contextmanager
def running(folder: Path, *words: str) -> Iterator[AnyJson]:
    """A command of ours that stays, and what it wrote once it was ready."""
    if not (FOLDER / "index.html").exists():
        pytest.skip("the console is not built; build it with make console")
    ready = folder / "ready.json"
    command = [sys.executable, "-m", "setpoint", *words, "--ready-file", str(ready)]
    with (
        (folder / PRINTED).open("w") as printed,
        subprocess.Popen(command, cwd=folder, stdout=printed, stderr=subprocess.STDOUT) as process,  # noqa: S603 - our own program
    ):
        try:
            until = time.monotonic() + PATIENCE
            while not ready.exists():
                assert process.poll() is None, f"setpoint {words[0]} ended by itself"
                assert time.monotonic() < until, f"setpoint {words[0]} did not start"
                time.sleep(0.05)
            yield json.loads(ready.read_text())
        finally:
            process.terminate()


def eventually(look: Callable[[], T]) -> T:
    """What is found once there is something to find."""
    until = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.2)
    return found


def _in_step(client: Client) -> bool:
    """All hosts of the group and their agents are there, and all is as declared."""
    found = list(client.items(f"/v1/organizations/{ORGANIZATION}/inventory"))
    agents = [each for each in found if each["kind"] == "agent"]
    return len(agents) == AGENTS and all(each["status"]["state"] == "READY" for each in found)


@contextlib.contextmanager
def connected(found: AnyJson) -> Iterator[Client]:
    connection = Connection(Endpoint(url=found["url"], token=found["token"]))
    try:
        yield Client(connection)
    finally:
        connection.close()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    program = part("chromium", "chromium")
    with sync_playwright() as playwright:
        # Letters without coloured edges: the same everywhere, and pictures of half the size.
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-lcd-text"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def serving(browser: Browser, folder: Path) -> Iterator[Served]:
    """A demo of its own, and somebody who signed in to it by its first link."""
    with demo(folder) as found:
        context = browser.new_context()
        sign_in_by_link(context.new_page(), found["link"])
        state = context.storage_state()
        context.close()
        with connected(found) as client:
            yield Served(found["url"], found, client, state)


def sign_in_by_link(page: Page, link: str, way: str = "mouse") -> None:
    hands = hands_of(way, page)
    page.goto(link)
    hands.write("email", EMAIL)
    hands.write("name", "Ann")
    hands.write("a new password", PASSWORD)
    hands.press("button", "Sign in")
    page.get_by_role("navigation", name="sections").wait_for()


def watched(context: BrowserContext, url: str) -> Watched:
    found = Watched(context.new_page(), url)
    found.page.on("request", lambda asked: found.requests.append(asked))  # noqa: PLW0108 - it marks what it is given
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on(
        "console",
        lambda said: found.complaints.append(said.text) if said.type in ("error", "warning") else None,
    )
    return found


def picture(page: Page, name: str, folder: str = "console") -> None:
    """What it looks like now, for whoever wants to see it."""
    (ARTIFACTS / folder).mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTIFACTS / folder / f"{name}.png")
