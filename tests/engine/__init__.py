"""The engine, without a world: every guard, the act protocol, a pass, a declaration, the agenda."""
