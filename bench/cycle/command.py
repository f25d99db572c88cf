from bench.command import Command, Measured, parser
CYCLE = Command("soon", lambda a: parser("cycle", "soon").parse_args(a), lambda w: Measured(()))
