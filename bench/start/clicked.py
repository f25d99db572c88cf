"""The same program of six verbs, written as click's manual teaches."""

import click

output = click.option("-o", "--output", default="text", help="text, json or yaml")
organization = click.option("--organization", default="", help="whose things")


@click.group(help="Hold infrastructure at what was declared.")
def program() -> None:
    """All verbs."""


@program.command()
@click.argument("kind")
@click.argument("name", default="")
@organization
@output
def get(kind: str, name: str, organization: str, output: str) -> None:
    """List what is declared, with how it is."""


@program.command()
@click.argument("file")
@click.option("--prune", is_flag=True)
@click.option("--yes", is_flag=True)
@organization
def apply(file: str, prune: bool, yes: bool, organization: str) -> None:
    """Declare what is in these files."""


@program.command()
@click.argument("file")
@organization
@output
def diff(file: str, organization: str, output: str) -> None:
    """What files would change, field by field."""


@program.command()
@click.argument("kind")
@click.argument("name")
@click.option("--cascade", is_flag=True)
@organization
def delete(kind: str, name: str, cascade: bool, organization: str) -> None:
    """Delete one thing, and what it owns."""


@program.command()
@click.argument("kind")
@click.option("--since", default="")
@organization
def watch(kind: str, since: str, organization: str) -> None:
    """Follow what happens."""


@program.command()
@output
def version(output: str) -> None:
    """Which version this is."""


if __name__ == "__main__":
    program()
