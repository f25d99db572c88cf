"""What exists at the simulated cloud: frozen values, and how the API shows each."""
