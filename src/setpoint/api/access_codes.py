"""Error codes about people, their credentials and their organizations."""

from typing import Final

from setpoint.api.code import Code

ACCESS: Final = (
    Code(
        "bad_standing",
        422,
        "How an organization stands was said in words that are not known, or without a reason.",
        "Say `verification`, `state` or both, and the reason; `errors` says what is wrong.",
    ),
    Code(
        "elsewhere",
        401,
        "The token may be used from some networks only, and the request came from another.",
        "Use it where it was made for, or ask for one that is for use from there.",
    ),
    Code(
        "entity_status",
        409,
        "The organization is not verified and active: nothing can be declared, changed or approved in it.",
        "Ask whoever runs the installation: `setpoint organization standing` changes it.",
    ),
    Code(
        "other_person",
        409,
        "The invitation is for another address than that of the account that is signed in.",
        "Sign out and open the link again, or ask for an invitation to your address.",
    ),
    Code(
        "void_invitation",
        410,
        "The membership that the invitation was for is not declared any more.",
        "Ask whoever invited you for another.",
    ),
)
