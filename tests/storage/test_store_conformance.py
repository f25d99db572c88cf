"""Memory, SQLite and PostgreSQL, held to the same promises."""

from conformance.store_commits import *  # noqa: F403 - collected here, run against each store
from conformance.store_history import *  # noqa: F403
from conformance.store_leases import *  # noqa: F403
from conformance.store_overview import *  # noqa: F403
from conformance.store_people import *  # noqa: F403
from conformance.store_queries import *  # noqa: F403
from conformance.store_remembered import *  # noqa: F403
from conformance.store_requests import *  # noqa: F403
from conformance.store_sealed import *  # noqa: F403
from conformance.store_slots import *  # noqa: F403
from conformance.store_tenancy import *  # noqa: F403
from conformance.store_together import *  # noqa: F403
