"""A simulated Hetzner Cloud: the real API's shapes, rules and habits, and every fault on request."""

from setpoint.sim.hetzner.faults import Fault, Faults
from setpoint.sim.hetzner.judge import Effect
from setpoint.sim.hetzner.rate import RateLimit
from setpoint.sim.hetzner.settings import SimSettings
from setpoint.sim.hetzner.simulator import HetznerSim
from setpoint.sim.hetzner.values.rrset import Record

__all__ = ["Effect", "Fault", "Faults", "HetznerSim", "RateLimit", "Record", "SimSettings"]
