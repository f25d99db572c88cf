"""Records before they are stored: every mistake at once, alone and beside the others of their zone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from msgspec.structs import replace

from setpoint.engine.draft import Author, Declaration
from setpoint.engine.errors import Mistake, Rejected
from setpoint.kinds.dns_name import normal_domain, normal_record_name, read_record_name
from setpoint.kinds.dns_record import DNS_RECORD, DnsRecord
from setpoint.kinds.dns_zone import DNS_ZONE, DnsZone

from .stage import ANN, SHOP, Stage

FILE = Author(actor="ann", organization="acme", owner="shop", prune=True)


def mistakes(**changed: Any) -> list[str]:
    """The fields that are wrong."""
    assert DNS_RECORD.check is not None
    return [field for field, _ in DNS_RECORD.check(convert({**DNS_RECORD.example, **changed}, DnsRecord))]


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, []),
        ({"values": ["1.1.1.1", "1.1.1.1"]}, ["values/1"]),
        ({"type": "AAAA", "values": ["2001:db8::1", "::1", "2001:DB8:0::1"]}, ["values/2"]),
        ({"type": "TXT", "values": ["a b", '"a b"']}, ["values/1"]),
        ({"type": "CNAME", "values": ["a.", "b."]}, ["values"]),
        ({"type": "CNAME", "name": "@", "values": ["a."]}, ["name"]),
        ({"type": "NS", "name": "@", "values": ["a."]}, ["name"]),
        ({"type": "NS", "name": "sub", "values": ["a.", "b."]}, []),
        ({"type": "MX", "values": ["0 ."]}, []),
        ({"type": "MX", "values": ["10 mail", "0 ."]}, ["values/1"]),
        ({"type": "MX", "values": ["0 .", "x", "20 ."]}, ["values/1", "values/2", "values/0"]),
        ({"ttl": 59}, ["ttl"]),
        ({"ttl": 60}, []),
        ({"ttl": 2_147_483_647}, []),
        ({"ttl": 2_147_483_648}, ["ttl"]),
        (
            {"name": "a b", "values": ["300.1.2.3", "192.0.2.1", "x"], "ttl": 1},
            ["name", "values/0", "values/2", "ttl"],
        ),
    ],
)
def test_every_mistake_of_a_record_is_told_at_once(changed: dict[str, Any], wrong: list[str]) -> None:
    assert mistakes(**changed) == wrong


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("@", "@"),
        ("www", "www"),
        ("WWW", "www"),
        ("*", "*"),
        ("*.dev", "*.dev"),
        ("_dmarc", "_dmarc"),
        ("_sip._tcp", "_sip._tcp"),
        ("a.b-c.d", "a.b-c.d"),
        ("bücher", "xn--bcher-kva"),
        ("xn--bcher-kva", "xn--bcher-kva"),
        ("x" * 63, "x" * 63),
    ],
)
def test_a_record_may_be_called(name: str, spelt: str) -> None:
    assert (mistakes(name=name), read_record_name(name), normal_record_name(name)) == ([], spelt, spelt)


@pytest.mark.parametrize(
    "name", ["", "a..b", "-a", "a-", "www.", "a b", "x" * 64, "a.*", "*a", "☃", "a/b", "ü_x", "ü" * 63]
)
def test_a_record_may_not_be_called(name: str) -> None:
    assert (mistakes(name=name), normal_record_name(name)) == (["name"], name)


@given(st.text(max_size=20))
def test_the_spelling_of_a_name_is_its_own_spelling(name: str) -> None:
    assert normal_record_name(normal_record_name(name)) == normal_record_name(name)


@pytest.mark.parametrize(
    ("domain", "spelt"),
    [
        ("example.org", "example.org"),
        ("Example.ORG.", "example.org"),
        ("a.b.example.co.uk", "a.b.example.co.uk"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"),
    ],
)
def test_a_zone_may_be_called(domain: str, spelt: str) -> None:
    assert DNS_ZONE.check is not None
    assert DNS_ZONE.check(DnsZone(provider="h", domain=domain)) == ()
    assert normal_domain(domain) == spelt


@pytest.mark.parametrize(
    "domain", ["", "org", "a..org", "-a.org", "a_b.org", "1.2.3.4", "*.org", "x." * 127 + "org"]
)
def test_a_zone_may_not_be_called(domain: str) -> None:
    assert DNS_ZONE.check is not None
    assert [field for field, _ in DNS_ZONE.check(DnsZone(provider="h", domain=domain))] == ["domain"]
    assert normal_domain(domain) == domain


def record(name: str, place: str, kind: str = "A", value: str = "192.0.2.1", **more: Any) -> Declaration:
    spec = {"zone": "example", "name": place, "type": kind, "values": [value]}
    return Declaration(kind="dns_record", scope=SHOP, name=name, spec=spec, pointer=f"/{name}", **more)


@pytest.fixture
async def zone(stage: Stage) -> Stage:
    await stage.declare("dns_zone", "example", provider="hetzner", domain="example.org")
    return stage


async def clashes(
    zone: Stage, *items: Declaration, author: Author = ANN, found: tuple[Mistake, ...] = ()
) -> list[tuple[str, str]]:
    """Where each mistake is, and its code; what was not mistaken is stored."""
    try:
        await zone.declarer.declare(items, author, found)
    except Rejected as refusal:
        return [(mistake.pointer, mistake.code) for mistake in refusal.mistakes]
    return []


ALIAS = ("CNAME", "www.example.net.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (record("a", "www"), record("b", "www", value="192.0.2.2")),
        (record("a", "www"), record("b", "WWW")),
        (record("a", "bücher"), record("b", "xn--bcher-kva")),
        (record("a", "www"), record("b", "www", *ALIAS)),
        (record("a", "www", *ALIAS), record("b", "www", "TXT", "hello")),
    ],
    ids=["twice", "in other letters", "in Unicode", "an alias beside it", "beside an alias"],
)
async def test_what_cannot_stand_together_in_a_zone_is_refused_by_name(
    zone: Stage, first: Declaration, second: Declaration
) -> None:
    with pytest.raises(Rejected) as refusal:
        await zone.declarer.declare((first, second), ANN)
    assert [mistake.pointer for mistake in refusal.value.mistakes] == ["/a/spec/name", "/b/spec/name"]
    assert [word in str(mistake.message) for word, mistake in zip("ba", refusal.value.mistakes, strict=True)]
    assert await clashes(zone, first) == []
    with pytest.raises(Rejected, match="1 mistake;") as refusal:
        await zone.declarer.declare((second,), ANN)
    [mistake] = refusal.value.mistakes
    assert (mistake.pointer, mistake.code, "dns_record a" in mistake.message) == (
        "/b/spec/name",
        "clash",
        True,
    )


@pytest.mark.parametrize(
    "item",
    [
        record("x", "www.example.org"),
        record("x", "example.org"),
        record("x", ".".join(["x" * 60] * 4)),
        record("x", "www", "CNAME", "www"),
        record("x", "www", "CNAME", "WWW.example.org."),
    ],
    ids=["the domain again", "the domain for @", "too long", "itself", "itself in full"],
)
async def test_what_only_the_zone_can_tell_is_refused(zone: Stage, item: Declaration) -> None:
    assert await clashes(zone, item) == [("/x/spec/name", "clash")]


async def test_different_types_at_one_name_and_one_type_at_different_names_stand_together(
    zone: Stage,
) -> None:
    fine = (record("a", "@"), record("b", "@", "TXT", "x"), record("c", "www", *ALIAS), record("d", "*"))
    assert await clashes(zone, *fine) == []
    assert await clashes(zone, record("a", "@", value="192.0.2.9"), record("d", "*.dev")) == []


async def test_zones_do_not_clash_with_each_other(zone: Stage) -> None:
    await zone.declare("dns_zone", "other", provider="hetzner", domain="example.net")
    elsewhere = record("b", "www")
    elsewhere.spec["zone"] = "other"
    assert await clashes(zone, record("a", "www"), elsewhere) == []


async def test_two_records_swap_their_names_in_one_file(zone: Stage) -> None:
    assert await clashes(zone, record("a", "www"), record("b", "api")) == []
    assert await clashes(zone, record("a", "api"), record("b", "www")) == []


async def test_what_is_deleted_or_withdrawn_frees_its_name(zone: Stage) -> None:
    assert await clashes(zone, record("a", "www"), author=FILE) == []
    assert await clashes(zone, record("b", "www"), author=FILE) == []  # a is left out
    found = await zone.intent.named("dns_record", SHOP, "b")
    assert found is not None
    await zone.declarer.delete(found.ref, ANN)
    assert await clashes(zone, record("c", "www", *ALIAS)) == []
    # Declared again, it wants its name back.
    assert await clashes(zone, record("a", "www")) == [("/a/spec/name", "clash")]


async def test_a_record_that_goes_to_another_zone_leaves_its_name(zone: Stage) -> None:
    await zone.declare("dns_zone", "other", provider="hetzner", domain="example.net")
    assert await clashes(zone, record("a", "www")) == []
    moved = record("a", "www")
    moved.spec["zone"] = "other"
    assert await clashes(zone, moved, record("b", "www")) == []


async def test_a_zone_and_its_records_are_judged_in_one_request(stage: Stage) -> None:
    spec = {"provider": "hetzner", "domain": "example.org"}
    zone = Declaration(kind="dns_zone", scope=SHOP, name="example", spec=spec, pointer="/zone")
    assert await clashes(stage, zone, record("a", "www"), record("b", "www")) == [
        ("/a/spec/name", "clash"),
        ("/b/spec/name", "clash"),
    ]
    assert await clashes(stage, zone, record("a", "www")) == []


async def test_what_is_not_sound_holds_no_name_and_hides_no_clash(zone: Stage) -> None:
    assert await clashes(zone, record("a", "www")) == []
    broken = Mistake(pointer="/a/spec/type", code="bad_field", message="no such type")
    items = (
        record("a", "www", "SPF", sound=False),
        record("b", "www"),
        record("c", "api"),
        record("d", "api"),
    )
    with pytest.raises(Rejected) as refusal:
        await zone.declarer.declare(items, ANN, (broken,))
    assert [mistake.pointer for mistake in refusal.value.mistakes] == [
        "/a/spec/type",
        "/c/spec/name",
        "/d/spec/name",
    ]


async def test_a_wrong_field_of_one_record_hides_no_clash_of_another_with_it(zone: Stage) -> None:
    """Only what the others hear is told: who may not use the zone does not learn what is in it."""
    broken = Mistake(pointer="/a/spec/ttl", code="bad_field", message="no number")
    wrong = record("a", "www", sound=False)
    wrong.spec["ttl"] = "1h"
    assert await clashes(zone, wrong, record("b", "www"), found=(broken,)) == [
        ("/a/spec/ttl", "bad_field"),
        ("/b/spec/name", "clash"),
    ]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"domain": "example.org", "foo": 1}, "abcdef"),
        ({"domain": "example.org", "adopt": "perhaps"}, "abcdef"),
        ({"domain": "a b"}, "abcde"),
        ({"domain": 1}, "abcde"),
        ({"domian": "example.org"}, "abcde"),
    ],
)
async def test_a_mistake_in_a_zone_hides_nothing_that_is_wrong_among_its_records(
    stage: Stage, changed: dict[str, Any], told: str
) -> None:
    """Without its domain all is told but what only the domain can tell."""
    spec = {"provider": "hetzner", **changed}
    zone = Declaration(kind="dns_zone", scope=SHOP, name="example", spec=spec, pointer="/zone", sound=False)
    broken = Mistake(pointer="/zone/spec", code="bad_field", message="whatever it is")
    items = (
        *(record(name, "www") for name in "ab"),
        record("c", "self", "CNAME", "self"),
        record("d", "one", "CNAME", "two"),
        record("e", "two", "CNAME", "one"),
        record("f", "x.example.org"),
        record("g", ".".join(["x" * 60] * 3)),
    )
    found = await clashes(stage, zone, *items, found=(broken,))
    wrong = [(f"/{name}/spec/name", "clash") for name in told]
    assert sorted(found) == [*wrong, ("/zone/spec", "bad_field")]


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        (["a b", "b a"], "ab"),
        (["a b", "b c", "c a", "d a"], "abc"),
        (["a B.example.org.", "b a"], "ab"),
        (["a b", "b c", "c www.example.net."], ""),
        (["a b", "b a.example.net."], ""),
        (["a b", "b a", "c d", "d c"], "abcd"),
        (["a a"], "a"),
    ],
)
async def test_aliases_that_lead_in_a_circle_are_refused(zone: Stage, ways: list[str], told: str) -> None:
    items = [record(way[0], way[0], "CNAME", way[2:]) for way in ways]
    found = await clashes(zone, *items)
    assert sorted(found) == [(f"/{name}/spec/name", "clash") for name in told]


async def test_a_circle_is_told_to_who_closes_it(zone: Stage) -> None:
    assert await clashes(zone, record("a", "a", "CNAME", "b")) == []
    with pytest.raises(Rejected) as refusal:
        await zone.declarer.declare((record("b", "b", "CNAME", "a"),), ANN)
    [mistake] = refusal.value.mistakes
    assert mistake.pointer == "/b/spec/name"
    assert mistake.message == "CNAME records lead in a circle: b -> a -> b; let one of them name a host"


@pytest.mark.parametrize("kind", ["A", "AAAA", "MX", "TXT"])
async def test_what_stands_beside_an_alias_is_called_with_its_article(zone: Stage, kind: str) -> None:
    value = {"A": "192.0.2.1", "AAAA": "2001:db8::1", "MX": "10 mail", "TXT": "hi"}[kind]
    assert await clashes(zone, record("a", "www", kind, value)) == []
    with pytest.raises(Rejected) as refusal:
        await zone.declarer.declare((record("b", "www", *ALIAS),), ANN)
    article = "a" if kind == "TXT" else "an"
    assert f"www has {article} {kind} record, dns_record a;" in refusal.value.mistakes[0].message


async def test_what_clashes_already_is_named_when_it_changes_and_not_before(zone: Stage) -> None:
    """As an older version stored it."""
    assert await clashes(zone, record("a", "www"), record("b", "api")) == []
    old = await zone.intent.named("dns_record", SHOP, "b")
    assert old is not None
    spec = {**old.declared.spec, "name": "www"}
    await zone.put(replace(old.declared, spec=spec))
    same = record("b", "www")
    assert await clashes(zone, same, record("c", "other")) == []
    assert await clashes(zone, record("b", "www", value="192.0.2.7")) == [("/b/spec/name", "clash")]


async def test_the_proposal_says_what_declaring_would(zone: Stage) -> None:
    await zone.declarer.declare((record("a", "www"),), ANN)
    with pytest.raises(Rejected) as refusal:
        await zone.declarer.proposed((record("b", "www"),), ANN)
    assert [mistake.code for mistake in refusal.value.mistakes] == ["clash"]
