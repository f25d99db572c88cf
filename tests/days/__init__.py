"""An operator's days: what people ordinarily do in 24 hours, on a loop file and on the platform."""
