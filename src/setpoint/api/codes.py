"""Every error code of the API, as one table: its cause and its cure. The docs are written from it."""

from typing import Final

from setpoint.api.access_codes import ACCESS
from setpoint.api.code import Code
from setpoint.api.people_codes import PEOPLE

_CODES: Final = (
    *ACCESS,
    *PEOPLE,
    Code(
        "address_too_long",
        414,
        "The address with its query is longer than 8192 characters.",
        "Ask for less at once, or send it in the body.",
    ),
    Code(
        "answer_lost",
        409,
        "A request with this `Idempotency-Key` took effect, and its answer is not kept: it held a secret.",
        "Look at what is there; to do it once more, send a new key.",
    ),
    Code("bad_cancellation", 422, "A cancellation lacks its reason.", 'Send `{"reason": …}`.'),
    Code(
        "bad_decision",
        422,
        "An approval or a rejection lacks its reason or the plan's digest.",
        "Read the plan, then send its digest and a reason.",
    ),
    Code(
        "bad_idempotency_key",
        400,
        "An `Idempotency-Key` is empty, too long or not printable ASCII.",
        "Send up to 255 characters, such as a new UUID for each new request.",
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
        "bad_redelivery",
        422,
        "A redelivery does not say which delivery.",
        "`setpoint webhook deliveries NAME` lists them.",
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
        "bad_secret",
        422,
        "A secret has no value, one that is too long, or a name that cannot be.",
        "`errors` lists every mistake; the value is sent in the body and is never shown again.",
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
        "headers_too_large",
        431,
        "The headers together are longer than 32768 characters.",
        "Send fewer or shorter ones.",
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
        "key_reused",
        422,
        "An `Idempotency-Key` was sent with another request before.",
        "Send a new key with each new request; the old one only to repeat the old request.",
    ),
    Code(
        "method_not_allowed",
        405,
        "The address exists, but not with this method.",
        "The `Allow` header lists the methods; /openapi.json describes them.",
    ),
    Code(
        "needs_match",
        428,
        "An object of this kind is changed only on top of a version that the request names.",
        "Read it, and send its `ETag` back as `If-Match`.",
    ),
    Code(
        "needs_organization",
        400,
        "A watch was asked for outside any organization.",
        "Watch /v1/organizations/{organization}/…, one organization at a time.",
    ),
    Code(
        "no_dry_run",
        400,
        "`dry_run=true` was sent with a change of something that is not declared. Nothing was done.",
        "Leave it out; only changes of declarations can be tried.",
    ),
    Code("no_such_address", 404, "Nothing is served at this address.", "/openapi.json lists every address."),
    Code("not_found", 404, "There is no such object, plan, pass or task.", "Check its name, kind and scope."),
    Code("not_json", 400, "The body cannot be read as JSON.", "The detail says where reading stopped."),
    Code(
        "not_proven",
        409,
        "The version before of a secret is still needed: something was not seen with the new one.",
        "The detail names it; `setpoint why` says what keeps it.",
    ),
    Code(
        "not_protected",
        409,
        "The protection of an item is to be taken off, and it has none.",
        "Nothing to do; check the name of the item if you expected one.",
    ),
    Code(
        "not_utf8",
        400,
        "The address has bytes that are no UTF-8.",
        "Percent-encode the UTF-8 bytes of each character.",
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
        "cannot_retry",
        409,
        "Work is to be begun once more that is under way, done, begun again, or about an older declaration.",
        "The detail says which; `setpoint operations` lists what there is.",
    ),
    Code(
        "operation_over",
        409,
        "An operation is to be cancelled, and is over.",
        "Nothing to do; read it to see how it ended.",
    ),
    Code(
        "secret_used",
        409,
        "A secret is to be deleted that something names.",
        "The detail lists what; change or delete that first.",
    ),
    Code(
        "rate_limited",
        429,
        "A credential, or all of an organization together, makes more requests than the settings allow.",
        "Wait for `Retry-After` seconds; `RateLimit` says on every answer what is left.",
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
        "still_delivering",
        409,
        "A delivery is to be made once more, and is still being tried.",
        "Wait until it is done or parked.",
    ),
    Code(
        "still_running",
        409,
        "The first request with this `Idempotency-Key` is under way, or its process died a moment ago.",
        "Send it again with the same key in a moment.",
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
        "too_many", 413, "A list or an object of the body has more than 10000 entries.", "Send it in parts."
    ),
    Code(
        "too_many_to_sort",
        422,
        "A list of all organizations is to be sorted otherwise than as it was made, and has more than 10000.",
        "Ask in one organization, or leave `order_by` out.",
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

CODES: Final = tuple(sorted(_CODES, key=lambda code: code.name))
