"""The machinery: coroutines and values that know no kind, vendor, network or clock."""
