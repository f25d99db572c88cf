"""Every code of a single mistake, as one table: its cause and its cure. The docs are written from it."""

from typing import Final

from setpoint.api.code import MistakeCode
from setpoint.api.people_codes import PEOPLE_MISTAKES

_MISTAKES: Final = (
    *PEOPLE_MISTAKES,
    MistakeCode(
        "control_character",
        "A text holds a control character, which could steer a terminal.",
        "Take it out; line breaks and tabs may stay.",
    ),
    MistakeCode(
        "secret_elsewhere",
        "A secret would be sent to a host that it does not serve.",
        "The message has the command that lets it serve there.",
    ),
    MistakeCode(
        "bad_field",
        "The value of a field is not what its kind expects.",
        "The message says what was expected; `setpoint explain KIND.FIELD` says more.",
    ),
    MistakeCode(
        "bad_filter",
        "A filter cannot be read, or names a field that there is none of.",
        "The message names the character, the hint has a caret under it.",
    ),
    MistakeCode(
        "bad_name",
        "The name has a character that names do not have, is too long, or could be taken for another one.",
        "Use up to 63 of a-z 0-9 . _ -, with a letter or digit at each end.",
    ),
    MistakeCode(
        "bad_parameter",
        "Something after the question mark has a value that it cannot have.",
        "The message says what was expected.",
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
        "claimed",
        "Somebody else owns the same external thing, as a domain at an account, or one around or in it.",
        "The message names the owner if you may see it; who may change that one declares around or in it.",
    ),
    MistakeCode(
        "clash",
        "It cannot stand beside another object of the same parent, as two records of one name and type.",
        "The message names the other object; change or delete one of the two.",
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
    MistakeCode(
        "immutable",
        "The field says where something is, and something was made there already.",
        "Leave the field as it was; declare a new object for the new place, and delete the old one.",
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
        "protected",
        "What the file leaves out is protected, and would be gone at once.",
        "Declare it again, or take its protection off with the command that the message names.",
    ),
    MistakeCode(
        "still_used",
        "What the file leaves out is still named by something that stays, or holds something that stays.",
        "Take the reference away as well, or keep what it names.",
    ),
    MistakeCode(
        "taken",
        "What is to be adopted is declared already, or its name is.",
        "Leave it out; the message says what stands in its place.",
    ),
    MistakeCode(
        "too_large",
        "An object, a text, or the key or value of a label is larger than fits, or labels are too many.",
        "The message has the size and the bound; shorten the text, or declare several smaller objects.",
    ),
    MistakeCode(
        "unknown_field",
        "There is no field of this name here.",
        "The hint names the one that was probably meant.",
    ),
    MistakeCode(
        "unknown_item",
        "An approval names an item that its plan does not ask about.",
        "`setpoint describe plan PLAN` lists what it asks about.",
    ),
    MistakeCode("unknown_kind", "There is no kind of this name.", "`setpoint kinds` lists them."),
    MistakeCode("unknown_limit", "There is no limit of this name.", "`setpoint explain limits` lists them."),
    MistakeCode(
        "wrong_scope",
        "Objects of this kind live at another level.",
        "The hint lists what of organization, project and workspace to give.",
    ),
)

MISTAKES: Final = tuple(sorted(_MISTAKES, key=lambda code: code.name))
