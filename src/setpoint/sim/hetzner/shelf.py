"""A shelf: all objects of one resource, by id and by name, in the order they were made."""

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from setpoint.sim.hetzner.refusal import not_found, not_unique


class Named(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Shelf(Generic[T]):
    """Holds values; replaces them whole; keeps names unique."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._by_id: dict[int, T] = {}
        self._id_of: dict[str, int] = {}

    def __iter__(self) -> Iterator[T]:
        return iter(tuple(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, object_id: int) -> T | None:
        return self._by_id.get(object_id)

    def get(self, object_id: int) -> T:
        """The object with this id, or the API's answer that there is none."""
        found = self._by_id.get(object_id)
        if found is None:
            raise not_found(f"{self._what} with ID '{object_id}'")
        return found

    def named(self, name: str) -> T:
        """The object of this name, or the API's answer that there is none."""
        id_of = self._id_of.get(name)
        if id_of is None:
            raise not_found(f"{self._what} '{name}'")
        return self._by_id[id_of]

    def put(self, value: T) -> T:
        """Adds or replaces a value; refuses a name that another value has."""
        if self._id_of.get(value.name, value.id) != value.id:
            raise not_unique(f"{self._what} name '{value.name}'")
        before = self._by_id.get(value.id)
        if before is not None:
            del self._id_of[before.name]
        self._by_id[value.id] = value
        self._id_of[value.name] = value.id
        return value

    def drop(self, object_id: int) -> None:
        """Removes a value; removing what is not there is fine."""
        gone = self._by_id.pop(object_id, None)
        if gone is not None:
            del self._id_of[gone.name]
