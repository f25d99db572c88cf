"""One file per verb of loop files; each offers FORM, `mistakes` and `run`."""
