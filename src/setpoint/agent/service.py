"""Enrol, then heartbeat for ever. While the control plane is away it tries again, and never gives up."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from setpoint.agent import identity as identities
from setpoint.agent.facts import gather
from setpoint.agent.identity import Identity
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused, Unreachable

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0
CALL_SECONDS: Final = 10.0
FINAL: Final = (401, 403, 409)
NO_SUCH_KEY: Final = "unauthenticated"
"""Answers that trying again cannot change."""

AnyJson = Any


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Where the control plane is, the file with the one-time token, and where the identity is kept."""

    url: str
    token_file: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Agent:
    """`say` gets one line for each change of mood; `pause` waits and tells whether to go on."""

    settings: AgentSettings
    pause: Callable[[float], bool]
    chance: Callable[[], float]
    say: Callable[[str], None]

    def run(self) -> int:
        """Until told to stop (0), or until the control plane says that we do not belong to it (1)."""
        try:
            who = identities.load(self.settings.folder) or self._enrol()
            return 0 if who is None else self._known(who)
        except Refused as refusal:
            self.say(f"refused: {refusal.problem.detail}")
            return 1
        except OSError as error:
            self.say(f"cannot read or keep what this agent needs: {error}")
            return 1

    def _enrol(self) -> Identity | None:
        token, once = self.settings.token_file.read_text().strip(), identities.once(self.settings.folder)
        body = {"token": token, "once": once, "facts": gather()}
        answer = self._until_answered("", "/v1/agent/enrol", body)
        if answer is None:
            return None
        who = Identity(agent=answer["agent"], key=answer["key"])
        identities.save(self.settings.folder, who)
        self.say(f"enrolled as {who.agent}")
        return who

    def _known(self, who: Identity) -> int:
        """A control plane restored from a backup may not hold our key; then the token says who we are."""
        try:
            return self._beat(who)
        except Refused as refusal:
            if refusal.problem.code != NO_SUCH_KEY:
                raise
        self.say("our key is not known there; enrolling again")
        again = self._enrol()
        return 0 if again is None else self._beat(again)

    def _beat(self, who: Identity) -> int:
        while True:
            answer = self._until_answered(who.key, "/v1/agent/heartbeat", {"facts": gather()})
            if answer is None:
                return 0
            # A tenth of jitter keeps a fleet that booted together from beating together.
            if not self.pause(float(answer["heartbeat_seconds"]) * (0.95 + 0.1 * self.chance())):
                return 0

    def _until_answered(self, key: str, path: str, body: AnyJson) -> AnyJson | None:
        """The answer, however long it takes; None when told to stop meanwhile."""
        wait = FIRST_PAUSE
        connection = Connection(Endpoint(url=self.settings.url, token=key, timeout=CALL_SECONDS))
        while True:
            try:
                answer = connection.send("POST", path, body).body
            except (Refused, Unreachable) as error:
                if isinstance(error, Refused) and error.problem.status in FINAL:
                    raise
                if wait == FIRST_PAUSE:
                    self.say(f"waiting for the control plane: {error}")
                if not self.pause(wait * (0.5 + self.chance())):
                    return None
                wait = min(LONGEST_PAUSE, wait * 2)
                continue
            if wait != FIRST_PAUSE:
                self.say("the control plane is back")
            return answer
