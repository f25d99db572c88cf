"""A program of six verbs, written as typer's manual teaches."""

from typing import Annotated

import typer

app = typer.Typer(help="Hold infrastructure at what was declared.", no_args_is_help=True)
Output = Annotated[str, typer.Option("-o", "--output", help="text, json or yaml")]
Organization = Annotated[str, typer.Option("--organization", help="whose things")]


@app.command()
def get(kind: str, name: str = "", organization: Organization = "", output: Output = "text") -> None:
    """List what is declared, with how it is."""


@app.command()
def apply(file: str, organization: Organization = "", prune: bool = False, yes: bool = False) -> None:
    """Declare what is in these files."""


@app.command()
def diff(file: str, organization: Organization = "", output: Output = "text") -> None:
    """What files would change, field by field."""


@app.command()
def delete(kind: str, name: str, organization: Organization = "", cascade: bool = False) -> None:
    """Delete one thing, and what it owns."""


@app.command()
def watch(kind: str, organization: Organization = "", since: str = "") -> None:
    """Follow what happens."""


@app.command()
def version(output: Output = "text") -> None:
    """Which version this is."""


if __name__ == "__main__":
    app()
