"""The Reconciliation scheduler: continuous alignment between what is declared and what is."""
