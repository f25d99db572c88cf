"""What each guard asks of a case: one pure function per guard, with the numbers in its answer."""
