"""The Control API over real HTTP, and the kit that looks into every answer."""
