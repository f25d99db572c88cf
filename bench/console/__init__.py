"""How the console fares where much is declared."""
