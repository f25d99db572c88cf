"""Verbs that talk to the API. Only the verb that was called is imported, so that starting stays cheap."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from setpoint.cli.exits import MEANINGS, Exit

VERBS: Final[Mapping[str, tuple[str, str]]] = {
    "get": ("get", "List objects with their state and its reason."),
    "describe": ("describe", "Show one object, or one plan, with all there is to know."),
    "why": ("why", "Say why something is as it is, and what to do next."),
    "plan": ("plan", "Show what files would change, or which plans wait for a person."),
    "apply": ("apply", "Declare what files say, after showing the plan; wait until it is so."),
    "diff": ("diff", "Show what files would change in what is declared, field by field."),
    "export": ("export", "Write a whole organization as files; applied again they change nothing."),
    "fmt": ("fmt", "Show files in their long form, or in their short one."),
    "approve": ("decide", "Let a held plan go ahead, exactly as shown."),
    "reject": ("decide", "Give a held plan up."),
    "pause": ("pause", "Stop acting on everything, a kind, a scope or one object."),
    "resume": ("pause", "Act again on what was paused."),
    "release": ("release", "Try anew what is contested or keeps failing; take a protection off."),
    "adopt": ("adopt", "Declare what is ours by its mark and newer than our database."),
    "protect": ("release", "Never delete an object or one item of it, whatever is declared."),
    "delete": ("delete", "Ask for objects to be deleted."),
    "watch": ("watch", "Follow what happens, live."),
    "wait": ("wait", "Wait until objects are in a state, saying what is missing."),
    "loops": ("loops", "Show how often each kind is looked at, and how it stands."),
    "passes": ("passes", "Show what was decided last, and by which guards."),
    "replay": ("passes", "Judge recorded passes again: is the decision the same?"),
    "rehearse": ("rehearse", "Show what other limits would have held, over what is on record."),
    "tasks": ("tasks", "Show work of many steps and how far it is."),
    "operations": ("operations", "Show long work, whoever does it, and how far it is."),
    "cancel": ("operations", "Stop long work before its next step, and undo it."),
    "retry": ("operations", "Begin a task once more that failed or was cancelled."),
    "webhook": ("webhook", "Show what was told to a webhook, and tell it once more."),
    "history": ("generations", "Show what an object was declared as: who changed what, and when."),
    "events": ("history", "Show what happened last."),
    "audit": ("history", "Show who did what."),
    "can-i": ("access", "Say whether you may, and the rule that decides."),
    "who-can": ("access", "Show everybody who may."),
    "roles": ("access", "List roles and what they allow."),
    "role": ("role", "Make a role of your own; see first who gains and who loses."),
    "member": ("member", "Invite people, give them roles, take them back."),
    "login": ("login", "Sign in, or set up an account with a link."),
    "logout": ("login", "End this session."),
    "sessions": ("sessions", "List where you are signed in, and end a session."),
    "contexts": ("contexts", "List the places you work at, and choose one."),
    "account": ("account", "Password, second factor; invite people and disable them."),
    "outbox": ("outbox", "Show letters to people, to hand on."),
    "token": ("token", "Give out, list and take back credentials."),
    "key": ("token", "The same for keys that reach one workspace."),
    "organization": ("organization", "Say how an organization stands."),
    "secret": ("secret", "Keep secrets for an organization, sealed; list and replace them."),
    "kinds": ("kinds", "List what can be declared."),
    "explain": ("kinds", "Explain a kind, a field, a guard or a limit, with examples."),
    "version": ("version", "Show the version of this command."),
}
REMOTE_VERBS: Final = tuple(VERBS)
LOCAL_VERBS: Final[Mapping[str, str]] = {
    "demo": "Everything on simulated clouds, in one process.",
    "up": "Run the whole control plane here, on one file.",
    "api": "The Control API alone, on PostgreSQL; as many as wanted.",
    "worker": "The Execution worker alone, on PostgreSQL.",
    "scheduler": "The Reconciliation scheduler alone, on PostgreSQL.",
    "agent": "Run on a host and report to the API.",
    "sim": "Run one simulated cloud.",
    "migrate": "Bring the database to this version.",
    "check": "Say what would go wrong here, each line with its cure.",
    "backup": "Write everything into one file, while it runs.",
    "restore": "Fill an empty store from a backup; it begins frozen.",
    "rotate-keys": "Change the keys that secrets are kept under.",
    "alerts": "Print alert rules for Prometheus.",
}
LOOP_VERBS: Final[Mapping[str, str]] = {
    "new loop": "Write a loop of your own, with its test.",
    "plan FILE": "Show what would change, and what would be held; change nothing.",
    "run FILE": "Look again and again; act with --enforce.",
    "why FILE": "Say why a loop or a key is as it is, and what to do next.",
    "and": "approve reject pause resume protect release replay rehearse, audit verify",
}


def main(
    argv: list[str], environment: Mapping[str, str], *, stdin: TextIO, stdout: TextIO, stderr: TextIO
) -> int:
    """Runs one remote verb and returns its exit code."""
    if not argv or argv[0] in ("-h", "--help", "help"):
        stdout.write(help_text())
        return Exit.DONE
    if argv in (["version"], ["--version"], ["-V"], ["-v"]):
        stdout.write(importlib.import_module("setpoint.cli.release").line() + "\n")
        return Exit.DONE
    # Not imported at the top: `--help` and the local verbs do without.
    running = importlib.import_module("setpoint.cli.running")
    code: int = running.run(argv, running.Streams(stdin, stdout, stderr), environment)
    return code


def help_text() -> str:
    """What `setpoint --help` prints."""
    return "\n".join(
        [
            "setpoint holds infrastructure at what you declared: every difference is closed safely,",
            "or held for a person with a reason.",
            "",
            "usage: setpoint VERB …        setpoint VERB --help teaches each verb with examples",
            "",
            "Run something here:",
            *_listed(tuple(LOCAL_VERBS.items())),
            "  example: setpoint up --port 7410",
            "",
            "Guard a loop of your own, in a file and without a server:",
            *_listed(tuple(LOOP_VERBS.items())),
            "  begin with: setpoint new loop flags && setpoint plan flags/flags.py",
            "",
            "Talk to a running one (setpoint login URL, or SETPOINT_URL and SETPOINT_TOKEN):",
            *_listed([(verb, about) for verb, (_, about) in VERBS.items()]),
            "  example: setpoint apply -f shop.yaml && setpoint why host/web-1",
            "",
            "Exit codes:",
            *(f"  {code.value:<13}{words}" for code, words in MEANINGS.items()),
            "",
        ]
    )


def _listed(verbs: Sequence[tuple[str, str]]) -> list[str]:
    return [f"  {verb:<13}{about}" for verb, about in verbs]
