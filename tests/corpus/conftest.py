"""The plant of the engine's own tests, in memory and on disk."""

from engine.conftest import kept, plant

__all__ = ["kept", "plant"]
