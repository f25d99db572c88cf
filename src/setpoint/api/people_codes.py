"""Error codes about people: signing in, links, second factors."""

from typing import Final

from setpoint.api.code import Code, MistakeCode

PEOPLE: Final = (
    Code(
        "bad_fields",
        422,
        "A field of the body is missing, not known, of another type, or not allowed to be what it is.",
        "Mend every entry of errors and send it again.",
    ),
    Code(
        "bad_link",
        404,
        "A link that works once is not known, was used, or has run out.",
        "Ask whoever sent it for another; the first administrator's is printed anew at each start.",
    ),
    Code(
        "code_needed",
        401,
        "The account has a second factor, and no code was sent, or one that is wrong or was used.",
        "Send the six digits of the authenticator, or a recovery code, as `code`.",
    ),
    Code(
        "cross_site",
        403,
        "A browser sent a cookie because a page asked for it that is not ours.",
        "Programs send `Authorization: Bearer` instead; a page is served from the address of the API.",
    ),
    Code(
        "disabled",
        401,
        "An administrator disabled the account that the credential acts for.",
        "Ask an administrator of the installation.",
    ),
    Code(
        "not_a_person",
        403,
        "The request is about whoever signed in, and the credential is a program's.",
        "Sign in: `setpoint login`.",
    ),
    Code(
        "not_begun",
        409,
        "A code was sent for a second factor that was never begun.",
        "`POST /v1/me/totp` first; it shows the key for the authenticator.",
    ),
    Code(
        "void_scope",
        401,
        "The organization, project or workspace that a token was given out for was removed.",
        "Ask for another token, for a place that is there: `setpoint token create NAME --role ROLE`.",
    ),
    Code(
        "unproven",
        409,
        "An account that was made by an invitation link shown to others is to become an administrator's.",
        "Prove the mailbox first: `setpoint login --forgot EMAIL`, and open the link of that letter.",
    ),
    Code(
        "password_too_short",
        409,
        "The second factor is to be taken away, and the password is long enough only beside one.",
        "Change the password first, to 15 characters or more.",
    ),
    Code(
        "step_up",
        403,
        "What was asked for needs a password given within the last ten minutes.",
        "`POST /v1/sessions/current:confirm` with password and code, then ask again.",
    ),
    Code(
        "too_many_tries",
        429,
        "Somebody was wrong too often, for this account or from this address.",
        "Wait for `Retry-After`. Whoever sends the right code of a second factor need not wait.",
    ),
    Code(
        "wrong_password",
        401,
        "There is no such account, it is disabled, or the password is another.",
        "Try again, or ask for a link: `setpoint login --forgot EMAIL`.",
    ),
)

PEOPLE_MISTAKES: Final = (
    MistakeCode(
        "guessable",
        "A password is made of common words, names, rows of keys or repetitions.",
        "Choose several words that have nothing to do with you.",
    ),
    MistakeCode("too_long", "A password is longer than 128 characters.", "Choose a shorter one."),
    MistakeCode(
        "too_short",
        "A password is shorter than 15 characters, or than 12 beside a second factor.",
        "Choose several words.",
    ),
)
