"""Locations: where servers can be."""

import msgspec


class Location(msgspec.Struct, frozen=True):
    """A place with data centres; its fields are those of the API."""

    id: int
    name: str
    description: str
    country: str
    city: str
    latitude: float
    longitude: float
    network_zone: str


LOCATIONS = (
    Location(1, "fsn1", "Falkenstein DC Park 1", "DE", "Falkenstein", 50.47612, 12.370071, "eu-central"),
    Location(2, "nbg1", "Nuremberg DC Park 1", "DE", "Nuremberg", 49.452102, 11.076665, "eu-central"),
    Location(3, "hel1", "Helsinki DC Park 1", "FI", "Helsinki", 60.169855, 24.938379, "eu-central"),
    Location(4, "ash", "Ashburn, VA", "US", "Ashburn, VA", 39.045821, -77.487073, "us-east"),
    Location(5, "hil", "Hillsboro, OR", "US", "Hillsboro, OR", 45.54222, -122.951924, "us-west"),
    Location(6, "sin", "Singapore", "SG", "Singapore", 1.283333, 103.833333, "ap-southeast"),
)


def data_centre(location: Location) -> dict[str, object]:
    """The deprecated data centre of a location, which the API still requires of a server."""
    return {
        "id": location.id,
        "name": f"{location.name}-dc1",
        "description": f"{location.description} DC1",
        "location": location,
        "server_types": {"available": [], "available_for_migration": [], "supported": []},
    }
