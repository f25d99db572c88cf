"""The running simulator: one cloud, its API, and the interface that steers it."""

from collections import Counter
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Router

from setpoint.sim.hetzner.admin import routes as admin_routes
from setpoint.sim.hetzner.answers import answer
from setpoint.sim.hetzner.behind import Behind
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.faults import Faults
from setpoint.sim.hetzner.gate import Gate
from setpoint.sim.hetzner.judge import Effect
from setpoint.sim.hetzner.rate import RateLimit
from setpoint.sim.hetzner.refusal import Refusal
from setpoint.sim.hetzner.resources import RESOURCES
from setpoint.sim.hetzner.settings import SimSettings

_CODES = {404: "not_found", 405: "method_not_allowed"}


class HetznerSim:
    """A simulated Hetzner Cloud; `app` is its HTTP side, `faults` and `behind` what tests do to it."""

    app: Starlette
    faults: Faults
    behind: Behind

    def __init__(self, settings: SimSettings, *, now: Callable[[], float]) -> None:
        self._cloud = Cloud(settings, now)
        self._requests: Counter[str] = Counter()
        self.faults = self._cloud.faults
        self.behind = Behind(self._cloud)
        self.app = _application(self._cloud, self.behind, self._requests)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The judge's log: every effect so far."""
        return self._cloud.log.effects

    @property
    def requests(self) -> dict[str, int]:
        """How many requests have come in, by method and path."""
        return dict(self._requests)

    def limit(self, limit: RateLimit) -> None:
        """From now on this rate limit, with a full bucket."""
        self._cloud.limiter.set(limit, self._cloud.now())

    async def close(self) -> None:
        """Ends what is under way and kills every process the servers run; may be called twice."""
        await self._cloud.close()


def _application(cloud: Cloud, behind: Behind, requests: Counter[str]) -> Starlette:
    api = Router([route for routes in RESOURCES for route in routes(cloud)], redirect_slashes=False)
    steering = Router(admin_routes(cloud, behind, requests), redirect_slashes=False)
    return Starlette(
        routes=[Mount("/v1", app=api), Mount("/_sim", app=steering)],
        middleware=[Middleware(Gate, cloud=cloud, requests=requests)],
        exception_handlers={Refusal: _refused, HTTPException: _not_routed},
    )


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, Refusal):
        raise error
    return answer(error.status, error.body())


async def _not_routed(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    refusal = Refusal(error.status_code, _CODES.get(error.status_code, "server_error"), error.detail)
    return answer(refusal.status, refusal.body())
