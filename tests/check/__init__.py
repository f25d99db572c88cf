"""Every check: the bad situation made for real gives the line and its cure."""
