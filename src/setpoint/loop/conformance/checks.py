"""Every check of the conformance kit, as one table: what must hold, what breaks otherwise, and the cure."""

from typing import Final

from setpoint.loop.conformance import (
    beating,
    dying,
    first,
    outage,
    passing,
    reading,
    telling,
    trouble,
    writing,
)
from setpoint.loop.conformance.check import Check

_READS: Final = ("well formed", "answers", "stable")
_WRITES: Final = (*_READS, "create", "outside change", "fresh instance", "delete")
_LANDS: Final = (*_WRITES, "round trip")
_ALONE: Final = (*_LANDS, "update", "only its key", "park")

CHECKS: Final = (
    Check(
        name="well formed",
        sentence="The loop has its methods, with their parameters, and its limits are limits.",
        breaks="The library refuses it at the start, so nothing is guarded.",
        cure="Write desired, observe, delete, and put or both of create and update, as listed above.",
        run=reading.well_formed,
    ),
    Check(
        name="answers",
        sentence="desired and observe give every key once, as text, with a value that JSON can say.",
        breaks="What cannot be compared cannot be judged: no pass gets as far as a plan.",
        guarantees=(1, 4),
        cure="Return a dict, or pairs, from text to plain values, dataclasses or models. If it raised:"
        " set up a scratch world first; a plain `def` runs in a thread of its own, so open there what"
        " belongs to one thread.",
        run=reading.answers,
        after=("well formed",),
    ),
    Check(
        name="stable",
        sentence="Asked twice with nothing changed in between, desired and observe answer the same.",
        breaks="Every pass finds a difference, and writes for ever or is held as contested.",
        guarantees=(22,),
        cure="Leave out what changes by itself (times, counters, positions); let observe only read.",
        run=reading.stable,
        after=("answers",),
    ),
    Check(
        name="create",
        sentence="After put, or create, of a new key, observe shows it.",
        breaks="The engine would make it again and again: never two resources for one key.",
        guarantees=(17,),
        cure="Return only when the thing is there, and raise when it is not. If such a key cannot be,"
        " hand over one that can: assert_loop(…, sample={key: value}).",
        run=first.create,
        after=_READS,
    ),
    Check(
        name="outside change",
        sentence="observe sees what others changed since it last looked.",
        breaks="It judges a world that is gone: drift is never seen, and no look is a second one.",
        guarantees=(1, 3),
        cure="Read the source each time; keep no answer in self, in the class or behind a cache.",
        run=first.outside_change,
        after=(*_READS, "create"),
    ),
    Check(
        name="fresh instance",
        sentence="A new process sees the same world, and can change and delete what an older one made.",
        breaks="After a restart what was made is unknown: it is made twice or never deleted.",
        guarantees=(17,),
        cure="Keep nothing in self that the world does not hold: find ids by observing, or store them"
        " with the thing.",
        run=first.fresh_instance,
        after=(*_READS, "create", "outside change"),
    ),
    Check(
        name="delete",
        sentence="After delete, observe no longer shows the key.",
        breaks="A delete that is none is repeated until the budgets are spent.",
        guarantees=(6, 7),
        cure="Return only when the thing is gone, and raise when it is not.",
        run=writing.delete,
        after=(*_READS, "create", "outside change", "fresh instance"),
    ),
    Check(
        name="delete twice",
        sentence="Deleting what is gone already ends well, or raises Missing.",
        breaks="A delete whose answer was lost is repeated, and then counts as a failure.",
        guarantees=(16, 17),
        cure="Return, or raise setpoint.loop.Missing, when it is not there: pop(key, None),"
        " unlink(missing_ok=True), 404 is done.",
        run=writing.delete_twice,
        after=_WRITES,
    ),
    Check(
        name="round trip",
        sentence="What was written is read back exactly: observe after put has no difference.",
        breaks="Every pass writes it again, until it is held as contested.",
        guarantees=(22,),
        cure="Bring both sides into one form (case, types, order, defaults): write what desired says as"
        " it is, or let desired say what observe gives. Leave out of observe what the service adds.",
        run=writing.round_trip,
        after=_WRITES,
    ),
    Check(
        name="update",
        sentence="Writing another value over an old one leaves exactly the new one.",
        breaks="Drift is found and never put right.",
        guarantees=(28,),
        cure="Replace the whole value: no insert-or-ignore, no merge with what is there.",
        run=writing.update,
        after=_LANDS,
    ),
    Check(
        name="idempotent",
        sentence="put twice is the same as put once.",
        breaks="An act whose answer was lost is done again: it must not fail, add or count.",
        guarantees=(17,),
        cure="Write the state, not a step towards it: replace, do not append; upsert, do not insert.",
        run=writing.put_twice,
        after=_LANDS,
    ),
    Check(
        name="keeps values",
        sentence="A method leaves the value that it is given as it is.",
        breaks="It is the declaration itself: the next pass compares with what nobody declared.",
        guarantees=(4,),
        cure="Copy before changing: {**value, …}.",
        run=writing.keeps_values,
        after=_WRITES,
    ),
    Check(
        name="only its key",
        sentence="put and delete change their key and no other, not even one that begins with it.",
        breaks="Guards and budgets count one item, and more is lost.",
        guarantees=(6, 19),
        cure="Match the whole key (=, not LIKE or startswith), quote it in addresses, write no other.",
        run=writing.only_its_key,
        after=_LANDS,
    ),
    Check(
        name="create and update",
        sentence="create of what is there and update of what is not land, or raise one of our errors.",
        breaks="The world may change between look and act; nobody could tell how the act ended.",
        guarantees=(17,),
        cure="Raise setpoint.loop.Conflict from create when it is there and Missing from update when it"
        " is not; or write put instead of both.",
        run=writing.separate,
        after=_LANDS,
    ),
    Check(
        name="park",
        sentence="park and unpark bring back the same value and touch no other key.",
        breaks="What was taken back within its seven days is not what it was.",
        guarantees=(12,),
        cure="Let park set the thing aside whole, and unpark undo exactly what park did.",
        run=writing.park,
        after=_LANDS,
    ),
    Check(
        name="read only",
        sentence="desired, look, mine, group and needs change nothing.",
        breaks="`plan`, and a loop that only observes, promise that nothing is changed.",
        guarantees=(13,),
        cure="Move what writes into put or delete.",
        run=reading.read_only,
        after=_READS,
    ),
    Check(
        name="unreachable",
        sentence="While its source fails, desired, observe or look raises instead of answering with less.",
        breaks="Less is taken for the truth: what is missing is made again, or deleted.",
        guarantees=(1,),
        cure="Let the error out: no `except: return {}`. Check the status of answers and of commands"
        " (raise_for_status, check=True). Where nobody knows, raise; look may answer UNKNOWN.",
        run=outage.unreachable,
        after=(*_READS, "outside change"),
    ),
    Check(
        name="partial",
        sentence="When one read of several fails, it raises instead of leaving that part out.",
        breaks="A page or a file that is left out looks like a mass deletion.",
        guarantees=(1, 2),
        cure="All of it or an error: no `except: continue` around a part, no os.walk without onerror."
        " An item that cannot be read may be UNKNOWN.",
        run=outage.partial,
        after=_READS,
    ),
    Check(
        name="look",
        sentence="look says of every key what observe says, and ABSENT of one that is not there.",
        breaks="The second look before a delete or a re-creation contradicts the first.",
        guarantees=(3,),
        cure="Return the value as observe gives it, setpoint.loop.ABSENT when it is surely not there,"
        " UNKNOWN when nobody knows; or leave look out, then observe is asked again.",
        run=reading.look,
        after=_READS,
    ),
    Check(
        name="changes",
        sentence="changes tells everything that differs since it was last asked, or says None.",
        breaks="What it does not tell is drift that nobody sees until everything is observed again.",
        guarantees=(1, 28),
        cure="Tell every key that was written or deleted since, with its value or setpoint.loop.ABSENT;"
        " return None whenever that is not known for sure.",
        run=telling.changes,
        after=_LANDS,
    ),
    Check(
        name="sorting",
        sentence="mine, group and needs answer by key and value alone; what put made is mine.",
        breaks="What is ours today and not tomorrow is made twice, or never counted.",
        guarantees=(5, 24),
        cure="Decide from the two arguments alone, and let put write the mark that mine looks for.",
        run=reading.sorting,
        after=_READS,
    ),
    Check(
        name="failures are told",
        sentence="put and delete raise when they could not do it.",
        breaks="The journal says done and the failure brake counts a success.",
        guarantees=(16, 17),
        cure="Let the error out of put and delete: no `except: pass`; check the status of answers.",
        run=trouble.told,
        after=_ALONE,
    ),
    Check(
        name="failures harm nobody",
        sentence="A step that fails inside put or delete changes no other key.",
        breaks="One failed read, and everything else is written away.",
        guarantees=(6, 19),
        cure="Never write back what could not be read: let that error out before anything is written.",
        run=trouble.harmless,
        after=_ALONE,
    ),
    Check(
        name="exceptions",
        sentence="What goes wrong is raised as an Exception.",
        breaks="SystemExit and KeyboardInterrupt end more than the call.",
        guarantees=(20,),
        cure="Raise Transient, Rejected, Missing, Conflict or Denied of setpoint.loop, or let the error"
        " out as it is; sys.exit belongs in the main program.",
        run=trouble.exceptions,
        after=_ALONE,
    ),
    Check(
        name="crash at every step",
        sentence="Wherever put or delete dies, no other key is lost and observe still answers.",
        breaks="kill -9, a full disk or a cancelled call loses what nobody touched.",
        guarantees=(17, 19),
        cure="Make the change in one step: write a new file and rename it over the old one"
        " (os.replace), or use one transaction.",
        run=dying.atomic,
        after=_ALONE,
    ),
    Check(
        name="again after a crash",
        sentence="Wherever it died, the next process can do it again and it lands.",
        breaks="One crash leaves an item that no pass can put right.",
        guarantees=(17,),
        cure="Expect what a dead process leaves behind: mkdir(exist_ok=True), no lock that outlives its"
        " process, parts that are there already.",
        run=dying.goes_on,
        after=_ALONE,
    ),
    Check(
        name="event loop",
        sentence="An `async def` lets the event loop go on while it waits.",
        breaks="Deadlines, other loops and the pause switch stand still as long as it waits.",
        guarantees=(13, 20),
        cure="Write a plain `def`, which runs in a thread; or await: asyncio.sleep, asyncio.to_thread,"
        " an async client.",
        run=beating.event_loop,
        after=_WRITES,
    ),
    Check(
        name="duplicate events",
        sentence="The same pass ten times leads to the same acts once.",
        breaks="Events are hints and may come often: each of them would write again.",
        guarantees=(28,),
        cure="Look at what the acts listed above changed: after them, observe must show desired.",
        run=passing.same_again,
        after=(*_ALONE, "keeps values", "sorting", "changes"),
    ),
    Check(
        name="clock jump",
        sentence="A clock that jumps takes nothing away.",
        breaks="A clock set right, or a machine that slept, looks like a mass deletion.",
        guarantees=(3,),
        cure="Do not drop items by age in observe: show them, with their age as a value if it matters.",
        run=passing.clock_jump,
        after=_ALONE,
    ),
)
