"""Proving again that it is you, where the API asks for it: the password once more, then the verb."""

import argparse
from dataclasses import replace

from setpoint.cli.context import contexts_in
from setpoint.cli.flags import chosen_by
from setpoint.cli.screen import Screen
from setpoint.cli.session import Session
from setpoint.client.errors import Refused


def confirmed(args: argparse.Namespace, screen: Screen) -> bool:
    """Whether somebody gave the password; the new session is kept in the context of the old one."""
    chosen = chosen_by(args, screen.environment)
    contexts = contexts_in(screen.environment)
    context = contexts.known.get(chosen.endpoint.context)
    if context is None or context.token != chosen.endpoint.token or not screen.can_ask:
        return False
    session = Session(chosen.endpoint, screen, chosen.scope)
    try:
        screen.say(f"This needs your password again, at {chosen.endpoint.place}.")
        password = screen.ask_unseen("Password: ", "run it in a terminal")
        try:
            made = session.identity.confirm({"password": password})
        except Refused as error:
            if error.problem.code != "code_needed":
                raise
            code = screen.ask("Code: ", "run it in a terminal")
            made = session.identity.confirm({"password": password, "code": code})
    finally:
        session.close()
    contexts.with_one(replace(context, token=str(made["token"]))).save()
    return True
