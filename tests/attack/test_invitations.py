"""An owner of one organization invites somebody who has an account, to get into that account."""

from .kit import PASSWORD, Answer, AnyJson, Installation

CHOSEN = "attacker chosen phrase zebra"


def use(installation: Installation, link: str, password: str = CHOSEN) -> Answer:
    body = {"link": link, "password": password, "cookie": False}
    return installation.nobody.call("POST", "/v1/links:use", body)


def test_an_invitation_gives_nobody_the_account_of_an_administrator(installation: Installation) -> None:
    name = installation.organization()
    email = f"boss@{name}.example"
    installation.admin.good("POST", "/v1/accounts", {"email": email, "administrator": True})
    owner = installation.member(name, "eve", {"role": "owner"})
    where = f"/v1/organizations/{name}/memberships/boss"
    owner.put(where, {"email": email, "roles": [{"role": "member"}]})
    link = owner.good("POST", f"{where}:invite", {})["link"]
    taken = use(installation, link)
    assert (taken.status, taken.body.get("code")) == (401, "wrong_password")
    # The person comes in by the link of the account, and then accepts.
    own = letter(installation, email, "You are invited to Setpoint")
    assert use(installation, own, PASSWORD).status == 201
    assert use(installation, link, PASSWORD).status == 201


def letter(installation: Installation, email: str, subject: str) -> str:
    """The link of the newest letter to somebody that is called so; it is written after the answer."""
    found: list[str] = []

    def arrived(page: AnyJson) -> bool:
        found[:] = [
            each["link"] for each in page["items"] if (each["to"], each["subject"]) == (email, subject)
        ]
        return bool(found)

    installation.admin.until("/v1/outbox?page_size=200", arrived, f"a letter to {email}")
    return found[0]


def test_whoever_sets_up_the_address_of_another_loses_it_to_the_mailbox(installation: Installation) -> None:
    name = installation.organization()
    email = f"victim@{name}.example"
    eve = installation.member(name, "eve", {"role": "owner"})
    where = f"/v1/organizations/{name}/memberships/victim"
    eve.put(where, {"email": email, "roles": [{"role": "owner"}]})
    link = eve.good("POST", f"{where}:invite", {})["link"]
    false = installation.with_token(use(installation, link).body["token"])
    false.good("POST", "/v1/me/totp", {})
    [account] = [each for each in installation.admin.every("/v1/accounts") if each["email"] == email]
    made = installation.admin.call("PATCH", f"/v1/accounts/{account['id']}", {"administrator": True})
    assert (made.status, made.body.get("code")) == (409, "unproven")
    installation.nobody.call("POST", "/v1/accounts:recover", {"email": email})
    came = use(installation, letter(installation, email, "A new password for Setpoint"), PASSWORD)
    assert came.status == 201
    assert false.get("/v1/me").status == 401
    installation.admin.good("PATCH", f"/v1/accounts/{account['id']}", {"administrator": True})
