"""One rule for what is secret: the API, the command line, loops and the console agree on every name."""

import json
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from setpoint.api.groups import grouped
from setpoint.cli.changes import fields_of
from setpoint.cli.redact import HIDDEN, redacted
from setpoint.engine.plan import Action, Verb
from setpoint.loop.commands.outlook import change_of, safe_action
from setpoint.secret_fields import is_secret, is_secret_path, looks_secret

ROOT = Path(__file__).parent.parent
SECRET = (
    *("token", "secret", "password", "passwd", "passphrase", "credentials", "pwd", "psk", "authorization"),
    *("api_key", "private_key", "access_key", "signing_key", "master_key", "client_secret", "auth_token"),
)
JOINED = ("apikey", "privatekey", "authtoken", "clientsecret", "dbpassword")
ORDINARY = (
    *(
        "monkey",
        "keyboard",
        "tokenizer",
        "key",
        "keys",
        "primary_key",
        "public_key",
        "ssh_public_key",
        "sort_key",
    ),
    *(
        "ssh_keys",
        "hotkey",
        "secretary",
        "compass",
        "private",
        "private_ip",
        "author",
        "name",
        "ttl",
        "values",
    ),
)
ABOUT = (
    *("token_ttl", "secret_name", "access_key_id", "password_policy", "token_expires_at", "api_key_version"),
    *("page_token", "next_page_token", "max_tokens", "tokens_per_minute", "secret_id", "token_file"),
)
BEFORE = ("", "db", "old", "x", "smtp_server", "my")
AFTER = ("", "hash", "value", "2", "plain", "base64")


def spelt(words: str, how: str) -> str:
    """`api_key` as people spell it elsewhere."""
    parts = words.split("_")
    return {
        "snake": words,
        "kebab": "-".join(parts),
        "shout": words.upper(),
        "camel": parts[0] + "".join(part.title() for part in parts[1:]),
        "pascal": "".join(part.title() for part in parts),
        "dashed": "-".join(part.title() for part in parts),
    }[how]


HOW = some.sampled_from(("snake", "kebab", "shout", "camel", "pascal", "dashed"))
NAMES = some.builds(
    lambda before, core, after, how: spelt("_".join(filter(None, (before, core, after))), how),
    *(some.sampled_from(BEFORE), some.sampled_from((*SECRET, *JOINED)), some.sampled_from(AFTER), HOW),
)
OTHERS = some.builds(spelt, some.sampled_from((*ORDINARY, *ABOUT)), HOW)


@given(NAMES)
def test_a_secret_is_one_however_it_is_spelt(name: str) -> None:
    assert is_secret(name)


@given(OTHERS)
def test_an_ordinary_word_is_none(name: str) -> None:
    assert not is_secret(name)


@given(NAMES | OTHERS | some.text(max_size=20))
def test_api_command_line_and_loops_hide_the_same(name: str) -> None:
    change = Action(verb=Verb.UPDATE, item="svc", before={name: "hunter2"}, after={name: "hunter3"})
    loop = json.dumps([safe_action(change), str(change_of(change))], ensure_ascii=False)
    api, cli = grouped([change])[0].cause, str(fields_of("update", change.before, change.after))
    assert ["hunter2" in said for said in (api, cli, loop)] == [not is_secret_path(name)] * 3
    assert (redacted(change.before)[name] == HIDDEN) is is_secret(name)


def test_values_that_show_nothing_stay_and_credentials_go_whatever_their_field() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb"
    assert redacted({"token": "secret://x", "password": None, "secret": True, "api_key": ""}) == {
        "token": "secret://x",
        "password": None,
        "secret": True,
        "api_key": "",
    }
    assert redacted({"note": key}) == {"note": HIDDEN}
    assert (looks_secret(key), looks_secret("a private key")) == ("a private key", "")


@pytest.mark.skipif(shutil.which("node") is None, reason="the console's own tests run where node is")
def test_the_console_has_the_same_rule() -> None:
    hows = ("snake", "kebab", "shout", "camel", "pascal", "dashed")
    words = [*SECRET, *JOINED, *ORDINARY, *ABOUT, *(f"{w}_{a}" for w in SECRET for a in AFTER if a)]
    names = [spelt(word, how) for word in words for how in hows] + ["", "ü_token", "a b.c token", "x" * 300]
    source = (ROOT / "console" / "src" / "words" / "secrets.ts").read_text()
    script = source.replace("field: string", "field").replace("export ", "")
    script += f"\nconsole.log(JSON.stringify({json.dumps(names)}.filter(isSecret)))"
    node = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)  # noqa: S607
    assert json.loads(node.stdout) == [name for name in names if is_secret(name)]


def test_the_consoles_rule_is_written_from_ours() -> None:
    wrote = runpy.run_path(str(ROOT / "scripts" / "reference.py"))["secrets"]()
    assert (ROOT / "console" / "src" / "words" / "secrets.ts").read_text() == wrote, "stale: run scripts/docs"
