"""Every error code of the API, as one table: its cause and its cure. The docs are written from it."""

from typing import Final

from setpoint.api.access_codes import ACCESS
from setpoint.api.code import Code, MistakeCode
from setpoint.api.people_codes import PEOPLE, PEOPLE_MISTAKES

_CODES: Final = (
    *ACCESS,
    *PEOPLE,
    Code(
        "bad_decision",
        422,
        "An approval or a rejection lacks its reason or the plan's digest.",
        "Read the plan, then send its digest and a reason.",
    ),
    Code(
        "bad_number",
        400,
        "A whole number in the body does not fit in 64 bits.",
        "Send a smaller number, or send it as text.",
    ),
    Code("bad_patch", 400, "A merge patch is not an object.", "Send an object with the fields to change."),
    Code(
        "bad_query",
        400,
        "Something after the question mark has a value that is not one of those allowed.",
        "The detail lists every such value and what was expected.",
    ),
    Code(
        "bad_rehearsal",
        422,
        "A rehearsal names no limit, an unknown one, or one with a value that it cannot have.",
        "`setpoint explain limits` lists every limit with its bounds.",
    ),
    Code(
        "bad_release",
        422,
        "A release or a protection lacks its item or its reason, or has a field of another type.",
        "`errors` lists every mistake; `setpoint why KIND NAME` names the items.",
    ),
    Code(
        "bad_switch",
        422,
        "A switch has no such mode or level, or lacks its reason.",
        "Modes are run, no-deletes, observe and stop; `errors` lists every mistake.",
    ),
    Code(
        "bad_token",
        401,
        "An agent came with an enrolment token that belongs to no host.",
        "Stop the agent there: a host that is declared boots a server with a token of its own.",
    ),
    Code(
        "bad_token_request",
        422,
        "A token was asked for with a name, a role, a place or an end that cannot be.",
        "Mend every entry of errors; setpoint roles lists the roles.",
    ),
    Code(
        "bad_type",
        400,
        "An agent sent a body that is not an object.",
        "Use the agent of the same release as the control plane.",
    ),
    Code(
        "conflict",
        409,
        "Somebody else changed the same thing first.",
        "Read it again, decide anew, and send the change on top of what is there now.",
    ),
    Code(
        "denied",
        403,
        "A switch, an account's mode or a credential does not allow it.",
        "The detail says which, and who set it.",
    ),
    Code(
        "exists",
        409,
        "An object of this kind and name is declared already.",
        "Change it with PUT or PATCH, or choose another name.",
    ),
    Code(
        "expired",
        401,
        "The token was good once, and has run out.",
        "Ask whoever gave it to you for another: setpoint token create.",
    ),
    Code(
        "forbidden",
        403,
        "The token is good, but its role does not allow this here; detail names the rule that decided.",
        "setpoint can-i says what you may, setpoint who-can who else; ask one of them.",
    ),
    Code(
        "gone",
        410,
        "A watch asks to go on after a revision that was never reached here.",
        "List again, and watch from the revision of that answer.",
    ),
    Code(
        "internal",
        500,
        "Something broke on our side.",
        "Look into the log of the control plane; it has the whole error.",
    ),
    Code(
        "invalid",
        422,
        "What was declared has mistakes; nothing of it was stored.",
        "`errors` lists every mistake with its place; correct them all and send it again.",
    ),
    Code(
        "method_not_allowed",
        405,
        "The address exists, but not with this method.",
        "The `Allow` header lists the methods; /openapi.json describes them.",
    ),
    Code(
        "needs_organization",
        400,
        "A watch was asked for outside any organization.",
        "Watch /v1/organizations/{organization}/…, one organization at a time.",
    ),
    Code("no_such_address", 404, "Nothing is served at this address.", "/openapi.json lists every address."),
    Code("not_found", 404, "There is no such object, plan, pass or task.", "Check its name, kind and scope."),
    Code("not_json", 400, "The body cannot be read as JSON.", "The detail says where reading stopped."),
    Code(
        "not_protected",
        409,
        "The protection of an item is to be taken off, and it has none.",
        "Nothing to do; check the name of the item if you expected one.",
    ),
    Code(
        "nothing_to_adopt",
        409,
        "The object lists nothing that is ours by its mark and not declared.",
        "Nothing to do; after a restore wait for its next pass, which lists it.",
    ),
    Code(
        "nothing_to_release",
        409,
        "Nothing about the item is contested or keeps failing.",
        "The hint lists what could be released; a protection is taken off with `--protection`.",
    ),
    Code(
        "stale",
        412,
        "`If-Match` names a version that is no longer the current one.",
        "Read it again; `current` in the answer has its tag and generation.",
    ),
    Code(
        "stale_plan",
        409,
        "The digest that was approved is not the digest of the plan.",
        "Look at the plan again: it is another one than you have seen.",
    ),
    Code(
        "token_used",
        409,
        "An enrolment token was presented a second time; people are told, for it may be stolen.",
        "If it was not you, delete the host; a new server gets a new token.",
    ),
    Code("too_deep", 400, "The body is nested more than 64 deep.", "Send a flatter body."),
    Code(
        "too_large",
        413,
        "The body is larger than the setting max_body_bytes.",
        "Send it in parts, or raise the setting.",
    ),
    Code(
        "unauthenticated",
        401,
        "No token was sent, or one that is not known here.",
        "Send `Authorization: Bearer TOKEN`; the administrator's is in the data folder.",
    ),
    Code(
        "unavailable",
        503,
        "It cannot be done just now: the store does not answer. Nothing was stored.",
        "Try again after `Retry-After`.",
    ),
    Code("unenrolled", 401, "An agent reports whose host was deleted.", "Stop the agent on that machine."),
)

_MISTAKES: Final = (
    *PEOPLE_MISTAKES,
    MistakeCode(
        "bad_field",
        "The value of a field is not what its kind expects.",
        "The message says what was expected; `setpoint explain KIND.FIELD` says more.",
    ),
    MistakeCode(
        "bad_name",
        "The name has a character that names do not have, or is too long.",
        "Use up to 63 of a-z 0-9 . _ -, with a letter or digit at each end.",
    ),
    MistakeCode("bad_type", "Something else was expected here: an object, a list, text.", "Send that."),
    MistakeCode(
        "bad_value",
        "The value has the right type, but cannot be, alone or beside the other fields.",
        "The message names the rule.",
    ),
    MistakeCode(
        "by_machine",
        "Objects of this kind declare themselves.",
        "Leave it out of the file; it can be read and deleted.",
    ),
    MistakeCode(
        "contradiction",
        "The body says one thing and the address another.",
        "Leave it out of the body, or send it to the address that it names.",
    ),
    MistakeCode(
        "cycle",
        "Objects need each other in a circle.",
        "The message shows the circle; take one reference out of it.",
    ),
    MistakeCode("duplicate_name", "One request declares the same object twice.", "Keep one of the two."),
    MistakeCode(
        "forbidden",
        "This object is not the caller's to declare, change or withdraw.",
        "Leave it out, or ask somebody who may: setpoint who-can.",
    ),
    MistakeCode("missing", "Something that is needed was left out.", "Add the field at the pointer."),
    MistakeCode(
        "missing_reference",
        "A field names an object that is not declared, or is being deleted.",
        "Declare it first or in the same file, or correct the name.",
    ),
    MistakeCode(
        "missing_scope",
        "The organization, project or workspace it is to live in is not declared.",
        "Declare that first or in the same file.",
    ),
    MistakeCode(
        "no_such_level", "A switch names a level that there is none of.", "The hint lists the levels."
    ),
    MistakeCode(
        "not_listed",
        "What is to be adopted is not among what the object lists as unknown.",
        "The hint lists some; `setpoint describe KIND NAME` shows all of them.",
    ),
    MistakeCode(
        "plain_secret",
        "A secret is written where only its name may stand.",
        "`setpoint secret set NAME`, and write `secret://NAME`; have a new one made, for this one was sent.",
    ),
    MistakeCode(
        "still_used",
        "What the file leaves out is still named by something that stays.",
        "Take the reference away as well, or keep what it names.",
    ),
    MistakeCode(
        "taken",
        "What is to be adopted is declared already, or its name is.",
        "Leave it out; the message says what stands in its place.",
    ),
    MistakeCode(
        "unknown_field",
        "There is no field of this name here.",
        "The hint names the one that was probably meant.",
    ),
    MistakeCode("unknown_kind", "There is no kind of this name.", "`setpoint kinds` lists them."),
    MistakeCode("unknown_limit", "There is no limit of this name.", "`setpoint explain limits` lists them."),
    MistakeCode(
        "wrong_scope",
        "Objects of this kind live at another level.",
        "The hint lists what of organization, project and workspace to give.",
    ),
)

CODES: Final = tuple(sorted(_CODES, key=lambda code: code.name))
MISTAKES: Final = tuple(sorted(_MISTAKES, key=lambda code: code.name))
