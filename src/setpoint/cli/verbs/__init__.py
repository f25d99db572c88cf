"""One file per verb, or per pair of verbs; each is imported only when it is called."""
