"""The manual is true: every block runs, every link leads somewhere, every table has its page."""
