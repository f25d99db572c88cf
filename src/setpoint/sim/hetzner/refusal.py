"""A request that is answered with an error, in the error format of the API."""

from collections.abc import Iterable, Mapping

Mistake = tuple[str, str]  # field, what is wrong with it


class Refusal(Exception):
    """Says no: a status, a code that programs read, a message that people read."""

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details

    def body(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


def invalid_input(mistakes: Iterable[Mistake]) -> Refusal:
    """One refusal for all mistakes of a request, so that nobody has to find them one by one."""
    fields: dict[str, list[str]] = {}
    for field, message in mistakes:
        fields.setdefault(field, []).append(message)
    named = ", ".join(f"'{field}'" for field in fields)
    details = {"fields": [{"name": field, "messages": messages} for field, messages in fields.items()]}
    return Refusal(400, "invalid_input", f"invalid input in field {named}", details)


def not_found(what: str) -> Refusal:
    return Refusal(404, "not_found", f"{what} not found")


def not_unique(what: str, field: str = "name") -> Refusal:
    details = {"fields": [{"name": field, "messages": ["is already used"]}]}
    return Refusal(409, "uniqueness_error", f"{what} is already used", details)


def unprocessable(message: str, code: str = "unprocessable_entity") -> Refusal:
    return Refusal(422, code, message)


def locked(what: str) -> Refusal:
    return Refusal(423, "locked", f"{what} is locked: an action is running on it")


def protected(what: str) -> Refusal:
    return Refusal(423, "protected", f"{what} is protected")
