"""The 28 guarantees of SAFETY.md, one module each; TABLE.md says what makes each of them fail."""
