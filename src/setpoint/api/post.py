"""Links on their way: made, kept by their hash, and written to whoever they are for."""

import contextlib
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from setpoint.access.credential import LINK, hash_token, minted
from setpoint.api.services import Services
from setpoint.capabilities.people import Message
from setpoint.engine.account import Link, Purpose
from setpoint.engine.errors import Conflict
from setpoint.engine.store import ACCOUNTS_PAGE, LINKS_TO, Change, Drop, Put, Store, joined

HOUR: Final = 3600.0
SECONDS: Final[Mapping[Purpose, float]] = {"first": 24 * HOUR, "invite": 7 * 24 * HOUR, "recover": HOUR}


class Wanted(Struct, frozen=True):
    """A link that is asked for: what it opens, for whom, and who asked."""

    purpose: Purpose
    target: str
    email: str
    by: str
    vouched: bool = True


class Post(Struct, frozen=True):
    """The secret of a link is in the letter and nowhere else."""

    services: Services

    async def issue(self, wanted: Wanted, words: tuple[str, str], change: Change) -> str:
        """A new link in the commit of this change, and the letter with it; returns where it is opened."""
        runtime, people = self.services.runtime, self.services.people
        secret = minted(runtime.new_id(), self.services.new_secret(), LINK)
        now = runtime.now()
        link = Link(
            hash=self.services.hash_token(secret),
            purpose=wanted.purpose,
            target=wanted.target,
            email=wanted.email,
            vouched=wanted.vouched,
            created_at=now,
            created_by=wanted.by,
            expires_at=now + SECONDS[wanted.purpose],
        )
        await self.services.store.commit(joined((change, Change(writes=(Put(link),)))))
        page, (subject, text) = people.page(secret), words
        await people.mail.send(Message(to=wanted.email, subject=subject, text=text, link=page))
        return page


async def first_link(store: Store, identity: str, secret: str, now: float) -> str:
    """The link for the first administrator, instead of the one before it; none where there is an account."""
    link = minted(identity, secret, LINK)
    row = Link(hash=hash_token(link), purpose="first", created_at=now, expires_at=now + SECONDS["first"])
    while not await store.read(ACCOUNTS_PAGE, after="", limit=1):
        before = await store.read(LINKS_TO, purpose="first", target="")
        drops = tuple(Drop(Link, each.hash) for each in before)
        # Replicas start together: whoever wrote theirs since we looked is found at the next look.
        with contextlib.suppress(Conflict):
            await store.commit(Change(writes=(*drops, Put(row))))
            return link
    return ""
