"""Accuses another writer: the same person deletes and declares one record again and again."""

from .kit import CLOUD_TOKEN, Installation


def test_declaring_again_what_was_deleted_is_no_contest(installation: Installation, cloud: str) -> None:
    admin, organization = installation.admin, installation.organization()
    project, where = installation.project(organization), f"/v1/organizations/{organization}"
    admin.good("PUT", f"{where}/secrets/hetzner", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://hetzner", "endpoint": cloud, "mode": "run"}
    admin.put(f"{where}/providers/hetzner", spec)
    admin.put(f"{project}/dns_zones/own", {"provider": "hetzner", "domain": "own.example"})
    admin.ready(f"{project}/dns_zones/own")
    record = f"{project}/dns_records/www"
    for _ in range(4):
        admin.put(record, {"zone": "own", "name": "www", "type": "A", "values": ["192.0.2.1"]})
        admin.ready(record)
        admin.good("DELETE", record)
        admin.until(project, lambda _: admin.get(record).status == 404)
    admin.put(record, {"zone": "own", "name": "www", "type": "A", "values": ["192.0.2.1"]})
    admin.ready(record)
    admin.ready(f"{project}/dns_zones/own")
