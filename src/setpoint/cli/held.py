"""A hold that helps: what is held, why, and the safest next command first."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.goals import Standing
from setpoint.cli.outline import lines, outline_of
from setpoint.cli.screen import Screen
from setpoint.cli.session import Session
from setpoint.cli.text import clean, plural

AnyJson = Any
SHOWN: Final = 5


def next_commands(identity: str) -> tuple[str, ...]:
    return (
        f"setpoint describe plan {identity}",
        f"setpoint reject {identity}",
        f"setpoint approve {identity} --reason WHY",
    )


def show_held(session: Session, plans: Sequence[Mapping[str, AnyJson]]) -> None:
    """Each held plan with the commands that lead on."""
    for plan in plans:
        title = f"plan {plan['id']} for {plan.get('kind')} {plan.get('name')}"
        for line in lines(outline_of(title, plan), session.screen):
            session.screen.tell(line)
        show_next(session.screen, str(plan["id"]))


def show_next(screen: Screen, identity: str, *, looked: bool = False) -> None:
    """The safest command first; whoever `looked` already is not told to look."""
    words = ("look at it: ", "give it up: ", "if you mean it: ")
    steps = list(zip(words, next_commands(identity), strict=True))
    for word, command in steps[1:] if looked else steps:
        screen.tell(f"  {word:<16}{command}")


def show_contested(screen: Screen, contested: Sequence[Mapping[str, AnyJson]]) -> None:
    """Items that another writer keeps changing back, each with the command that releases it."""
    for each in contested[:SHOWN]:
        name = f"{each['kind']}/{each['metadata']['name']}"
        what = f"{', '.join(each['fields'])} of {each['item']}" if each["fields"] else str(each["item"])
        screen.say(clean(f"! {name}: {what} is contested: another writer keeps changing it back"))
        screen.say(f"  next: {clean(str(each['release']))}")
    if len(contested) > SHOWN:
        screen.say(f"  and {len(contested) - SHOWN} more: setpoint plan -o json")


def show_standings(session: Session, organization: str, standings: Sequence[Standing]) -> None:
    """How a wait ended: nothing more when all is well, else what is missing and which command leads on."""
    screen = session.screen
    unreached = [standing for standing in standings if standing.verdict != "reached"]
    if not unreached:
        screen.say(f"{'All ' if len(standings) > 1 else ''}{plural(len(standings), 'object')} as declared.")
        return
    screen.say(f"{len(standings) - len(unreached)} of {plural(len(standings), 'object')} as declared:")
    groups = _alike(unreached)
    for group in groups[:SHOWN]:
        more = f" (and {len(group) - 1} more for the same reason)" if len(group) > 1 else ""
        screen.explain(f"  {group[0].missing}{more}", indent=4)
        screen.say(f"    next: setpoint why {group[0].goal.title.replace(' ', '/', 1)}")
    if len(groups) > SHOWN:
        screen.say(f"  and {len(groups) - SHOWN} more reasons")
    if any(standing.verdict == "held" for standing in unreached):
        show_held(session, _plans(session, organization, unreached))


def _alike(standings: Sequence[Standing]) -> list[list[Standing]]:
    """Gathered by what they say: one cause is told once."""
    groups: dict[tuple[str, str], list[Standing]] = {}
    for standing in standings:
        found = standing.found
        groups.setdefault((found.state, found.reason) if found else ("", ""), []).append(standing)
    return list(groups.values())


def _plans(session: Session, organization: str, standings: Sequence[Standing]) -> list[Mapping[str, AnyJson]]:
    """The plans these wait for, whole: their own, or those of what judges them."""
    own = {standing.found.plan for standing in standings if standing.found and standing.found.plan}
    held = [str(plan["id"]) for plan in session.client.plans(organization, "held")]
    wanted = [identity for identity in held if identity in own] or held
    return [session.client.plan(organization, identity) for identity in wanted]
