"""Loops with one bug each. `FOUND_BY` is the check that must name it, `ALSO` others that follow from it.

Most are a sound loop with one method written the way people write it in a hurry. `make(folder)` sets one up.
"""
