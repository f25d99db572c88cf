"""Letters for an operator to hand on: what is written to people waits here until somebody brings it."""

from collections.abc import Callable

from msgspec import Struct

from setpoint.capabilities.people import Message, Seal
from setpoint.engine.account import Letter
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Change, Put, Store


class Outbox(Struct, frozen=True):
    """The link of a letter is sealed: whoever reads the database cannot use it."""

    store: Store
    runtime: Runtime
    seal: Seal
    hash_link: Callable[[str], str]

    async def send(self, message: Message) -> None:
        identity = self.runtime.new_id()
        letter = Letter(
            id=identity,
            to=message.to,
            subject=message.subject,
            text=message.text,
            link=self.hash_link(message.link) if message.link else "",
            sealed=self.seal.closed(message.link, f"letter/{identity}") if message.link else "",
            created_at=self.runtime.now(),
        )
        await self.store.commit(Change(writes=(Put(letter),)))
