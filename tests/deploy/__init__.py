"""What is in deploy/ is true: units, compose file and chart fit the program as it is."""
