"""The link for the first administrator, where several replicas start at once."""

import asyncio

from setpoint.api.post import first_link
from setpoint.engine.store import LINKS_TO

from .kit import Api


async def test_replicas_that_start_together_all_get_up_and_one_link_is_left(api: Api) -> None:
    made = await asyncio.gather(*(first_link(api.store, f"i{n}", f"secret-{n}", 1.0) for n in range(5)))
    assert len(set(made)) == 5
    assert len(await api.store.read(LINKS_TO, purpose="first", target="")) == 1
