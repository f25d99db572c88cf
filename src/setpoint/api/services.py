"""What the handlers share; each route is handed this and nothing global."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from setpoint.api.drain import Drain
from setpoint.api.people import People
from setpoint.api.pieces import Pieces
from setpoint.api.quota import Quota
from setpoint.api.rate import Rates
from setpoint.api.rendered import Rendered
from setpoint.api.streams import Streams
from setpoint.api.validate import Validator
from setpoint.drive.shipping import Shipping
from setpoint.engine.declare import Declarer
from setpoint.engine.entity import Ref
from setpoint.engine.kind import Kinds
from setpoint.engine.limits import Limits
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Store
from setpoint.settings import Settings


class Services(Struct, frozen=True):
    """Everything a handler may use."""

    store: Store
    kinds: Kinds
    pipelines: Mapping[str, Pipeline]
    declarer: Declarer
    runtime: Runtime
    validators: Mapping[str, Validator]
    limits: Limits
    narrower: Mapping[str, Limits]
    """By kind, or `kind/name` for one object: where others are in force than `limits`."""
    intervals: Mapping[str, float]
    settings: Settings
    hash_token: Callable[[str], str]
    new_secret: Callable[[], str]
    people: People
    secret_digest: Callable[[Ref, str], str]
    """What is kept of a sealed secret to tell it from another one; of which organization, and its value."""
    rendered: Rendered
    drain: Drain
    monotonic: Callable[[], float]
    rates: Rates
    streams: Streams
    quota: Quota
    owner: str
    """Names this process among the replicas."""
    alone: bool
    """Whether there can be no other one."""
    shipping: Shipping
    """Takes checkpoints of the audit out of the database, and reads them back."""

    @property
    def pieces(self) -> Pieces:
        return Pieces(self.monotonic)

    @property
    def verify_organizations(self) -> bool:
        """Whether new organizations begin in setup, until somebody verified them."""
        return self.settings.verify_organizations

    @property
    def max_body_bytes(self) -> int:
        return self.settings.max_body_bytes
