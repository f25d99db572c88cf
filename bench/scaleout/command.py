from bench.command import Command, Measured, parser
SCALEOUT = Command("soon", lambda a: parser("scaleout", "soon").parse_args(a), lambda w: Measured(()))
