from bench.command import Command, Measured, parser
CONVERGE = Command("soon", lambda a: parser("converge", "soon").parse_args(a), lambda w: Measured(()))
