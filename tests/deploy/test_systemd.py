"""The units: nothing misspelt, everything closed that can be, commands and settings that exist."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.commands import parses
from deploy.units import FOLDER, PROGRAM, Unit, services
from setpoint.settings import Settings, read_settings
from setpoint.up import DRAIN_SECONDS

UNITS = services()
SERVED = [unit for unit in UNITS if unit.one("Type") == "exec"]
MOST_EXPOSED = 1.5
"""Of ten, as `systemd-analyze security` counts; 9.6 is a unit that says nothing."""
CLOSED = {
    "User": "setpoint",
    "Group": "setpoint",
    "UMask": "0077",
    "StateDirectoryMode": "0700",
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "ProtectProc": "invisible",
    "ProcSubset": "pid",
    "ProtectClock": "yes",
    "ProtectControlGroups": "yes",
    "ProtectHostname": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelTunables": "yes",
    "PrivateDevices": "yes",
    "PrivateTmp": "yes",
    "PrivateUsers": "yes",
    "DevicePolicy": "closed",
    "KeyringMode": "private",
    "LockPersonality": "yes",
    "MemoryDenyWriteExecute": "yes",
    "RemoveIPC": "yes",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "RestrictNamespaces": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallArchitectures": "native",
    "SystemCallErrorNumber": "EPERM",
    "LimitCORE": "0",
    "LimitNOFILE": "65536",
}
KNOWN = {
    "Unit": {"Description", "After", "Wants", "StartLimitIntervalSec"},
    "Service": {
        *CLOSED,
        *("Type", "ExecStart", "ExecStartPost", "Environment", "EnvironmentFile", "WorkingDirectory"),
        *("KillMode", "TimeoutStartSec", "TimeoutStopSec", "Restart", "RestartSec", "RestartSteps"),
        *("RestartMaxDelaySec", "RestartPreventExitStatus", "StateDirectory", "SystemCallFilter"),
        *("InaccessiblePaths", "Nice", "IOSchedulingClass"),
    },
    "Timer": {"OnCalendar", "RandomizedDelaySec", "Persistent"},
    "Install": {"WantedBy"},
}
SINCE_254 = ("RestartSteps", "RestartMaxDelaySec")
"""Older ones say that they ignore these, and restart at an even pace."""


def every(units: list[Unit]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("unit", units, ids=lambda unit: unit.path.name)


@every([*UNITS, Unit(FOLDER / "setpoint-backup.timer")])
def test_every_option_is_one_we_know_and_in_its_section(unit: Unit) -> None:
    assert [name for section, name, _ in unit.options if name not in KNOWN[section]] == []


@every(UNITS)
def test_everything_is_closed_that_can_be(unit: Unit) -> None:
    assert {name: unit.one(name) for name in CLOSED} == CLOSED
    assert unit.all("SystemCallFilter") == ["@system-service", "~@privileged @resources"]
    assert unit.all("StateDirectory")[0] == "setpoint"


@every(UNITS)
def test_no_unit_holds_a_secret_and_each_reads_the_same_settings(unit: Unit) -> None:
    assert unit.one("EnvironmentFile") == "-/etc/setpoint/setpoint.env"
    assert unit.environment["SETPOINT_DATA"] == "/var/lib/setpoint"
    read_settings(unit.environment, {})
    known = {f"SETPOINT_{name.upper()}" for name in Settings.__struct_fields__}
    assert sorted(unit.environment.keys() - known) == []


@every(SERVED)
def test_a_service_starts_again_but_not_with_wrong_settings(unit: Unit) -> None:
    assert (unit.one("Restart"), unit.one("RestartPreventExitStatus")) == ("on-failure", "2")
    assert unit.one("StartLimitIntervalSec") == "0"


@every(SERVED)
def test_a_stop_waits_for_the_longest_call_and_the_draining(unit: Unit) -> None:
    longest = Settings().call_seconds + DRAIN_SECONDS
    assert int(unit.one("TimeoutStopSec").removesuffix("s")) >= longest + 5


@every(SERVED)
def test_what_a_service_runs_is_a_command_of_ours(unit: Unit) -> None:
    program, *arguments = unit.one("ExecStart").split()
    assert program == PROGRAM
    assert parses(arguments)


def test_all_services_of_one_machine_listen_apart() -> None:
    apart = [unit for unit in SERVED if unit.path.stem != "setpoint"]
    ports = [unit.environment["SETPOINT_PORT"] for unit in apart]
    assert sorted(ports) == ["7410", "7411", "7412"]


def test_the_api_cannot_see_what_opens_accounts() -> None:
    hidden = {unit.path.name: unit.all("InaccessiblePaths") for unit in UNITS}
    closed = ["-/var/lib/setpoint/secrets -/var/lib/setpoint/master.key"]
    assert hidden["setpoint-api.service"] == hidden["setpoint-backup.service"] == closed
    assert hidden["setpoint-worker.service"] == hidden["setpoint-scheduler.service"] == []


def test_a_backup_is_a_command_of_ours_and_has_a_timer() -> None:
    unit = Unit(FOLDER / "setpoint-backup.service")
    typed = re.search(rf"{PROGRAM} (\w+) ", unit.one("ExecStart"))
    assert typed
    assert typed[1] == "backup"
    assert Unit(FOLDER / "setpoint-backup.timer").one("Persistent") == "true"


def test_the_file_of_settings_names_settings_only() -> None:
    text = (FOLDER / "setpoint.env").read_text()
    named = re.findall(r"^#?(SETPOINT_\w+)=", text, re.MULTILINE)
    assert named
    assert [
        name for name in named if name.removeprefix("SETPOINT_").lower() not in Settings.__struct_fields__
    ] == []


@every(UNITS)
def test_systemd_finds_nothing_wrong(unit: Unit, tmp_path: Path) -> None:
    told = analyze("verify", str(installed(unit, tmp_path)))
    complaints = [line for line in told.stderr.splitlines() if not any(name in line for name in SINCE_254)]
    assert (told.returncode, complaints) == (0, [])


@every(UNITS)
def test_systemd_counts_little_exposure(unit: Unit, tmp_path: Path) -> None:
    path = installed(unit, tmp_path)
    told = analyze("security", "--offline=true", "--no-pager", str(path))
    score = re.search(r"exposure level for \S+: ([\d.]+)", told.stdout)
    assert score, told.stdout + told.stderr
    assert float(score[1]) < MOST_EXPOSED


def installed(unit: Unit, folder: Path) -> Path:
    """The unit as it would be on a machine where the program is."""
    program = folder / "setpoint"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = folder / unit.path.name
    path.write_text(unit.path.read_text().replace(PROGRAM, str(program)))
    return path


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not on this machine: the units are only read the plain way")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=240)  # noqa: S603
