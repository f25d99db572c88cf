"""Ready-made `observe` for JSON over HTTP, for databases and for Prometheus: all of it, or an error.

In a class body, where they answer `self.observe()`, or called inside a method of your own:

    class Flags(Keyed):
        observe = http_json("https://flags.example/v1/flags", key="name", items="flags", next_page="next")
        look = observe.one("https://flags.example/v1/flags/{key}")

    def observe(self):
        return http_json(f"https://{self.host}/v1/flags", key="name")()

They block: call them from a plain `def`. The library runs that, and what stands in a class body, in a thread.
"""

from setpoint.loop.observers.database import Sql, SqlRow
from setpoint.loop.observers.measure import Prometheus
from setpoint.loop.observers.paging import LinkHeader, NextLink, NextToken, PageNumber
from setpoint.loop.observers.service import HttpItem, HttpJson

# What they read like where they are used: a verb of the loop, not a class.
http_json = HttpJson
sql = Sql
prometheus = Prometheus

__all__ = [
    "HttpItem",
    "HttpJson",
    "LinkHeader",
    "NextLink",
    "NextToken",
    "PageNumber",
    "Prometheus",
    "Sql",
    "SqlRow",
    "http_json",
    "prometheus",
    "sql",
]
