"""The data folder: there or possible, ours alone, on a disk with room that keeps what it says it has."""

import shutil
import stat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from setpoint.check.finding import Finding, Site, fail, ok, warn
from setpoint.engine.errors import Denied
from setpoint.storage.sqlite.lock import NAME, FolderLock

ROOM: Final = 10**9
SECRETS: Final = "secrets"
MASTER: Final = "master.key"
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
OTHERS_ENTER: Final = stat.S_IXGRP | stat.S_IXOTH
IN_MEMORY: Final = ("tmpfs", "ramfs")
ACROSS_THE_NETWORK: Final = ("nfs", "nfs4", "cifs", "smb3", "9p", "afs", "fuse.sshfs", "glusterfs", "ceph")
MOUNTS: Final = Path("/proc/self/mountinfo")


def data_folder(site: Site) -> Finding:
    """There, or it can be made; and only ours."""
    folder = site.folder
    here = nearest(folder)
    try:
        with TemporaryDirectory(prefix=".setpoint-check-", dir=here):
            pass
    except OSError as error:
        cure = f'install -d -m 0700 -o "$USER" {folder}, or --data DIR'
        return fail("data folder", f"nothing can be written in {here}: {error.strerror}", cure)
    files = [place for place in (folder, *folder.parents) if place.is_file()]
    if files:
        return fail("data folder", f"{files[0]} is a file", "--data DIR or SETPOINT_DATA=DIR")
    if here != folder:
        return ok("data folder", f"{folder} is made at the first start")
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OTHERS:
        found = fail if mode & OTHERS_WRITE else warn
        return found("data folder", f"{folder} is open to others (mode {mode:04o})", f"chmod 0700 {folder}")
    return ok("data folder", f"{folder} is writable, and closed to others (mode {mode:04o})")


def disk(site: Site) -> Finding:
    here = nearest(site.folder)
    return told_of_disk(here, shutil.disk_usage(here).free)


def told_of_disk(here: Path, free: int) -> Finding:
    said = f"{free / 1e9:,.1f} GB free in {here}"
    if free < ROOM:
        return fail(
            "disk", f"{said}; 1 GB is needed", f"make room (du -xh --max-depth=2 {here}), or --data DIR"
        )
    return ok("disk", said)


def file_system(site: Site) -> Finding:
    """SQLite's log is shared memory beside a file: that does not reach across a network."""
    here = nearest(site.folder)
    mounts = MOUNTS.read_text() if MOUNTS.exists() else ""
    return told_of_file_system(mounted(here.resolve(), mounts), alone=not site.settings.database)


def told_of_file_system(sort: str, *, alone: bool) -> Finding:
    """`alone`: the database is in this folder too."""
    if sort in IN_MEMORY:
        return warn("file system", f"{sort}: in memory, gone after a restart", "--data DIR on a disk")
    if sort in ACROSS_THE_NETWORK and alone:
        cure = "--data DIR on a disk of this machine, or --database postgresql://…"
        return fail("file system", f"{sort}: SQLite does not work across a network", cure)
    return ok("file system", sort or "not known")


def mounted(path: Path, mounts: str) -> str:
    """The sort of file system a path is on, from what the kernel says about mounts; the last one counts."""
    found = ("", "")
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4].replace("\\040", " ")
        if path.is_relative_to(point) and len(point) >= len(found[0]):
            found = point, after.split()[0]
    return found[1]


def secrets(site: Site) -> Finding:
    """Credentials of accounts: readable for nobody else, by their own modes or because nobody gets in."""
    folder = site.folder / SECRETS
    if not folder.is_dir():
        return ok("secrets", f"none yet; each is a file in {folder}")
    files = [file for file in (*folder.glob("*"), *folder.glob("*/*")) if file.is_file()]
    places = {file: (*file.relative_to(site.folder).parents,) for file in files}
    readable = sorted(
        str(file.relative_to(folder))
        for file, above in places.items()
        if _is_open(file, *(site.folder / each for each in above))
    )
    if readable:
        cure = f"chmod -R go= {folder}; whoever could read them may know them: replace them"
        return fail("secrets", f"others may read {', '.join(readable[:3])} in {folder}", cure)
    return ok("secrets", f"{len(files)} in {folder}, closed to others")


def master_key(site: Site) -> Finding:
    """The key that sealed secrets are kept under opens all of them."""
    named = site.settings.master_key_file
    file = Path(named) if named else site.folder / MASTER
    if site.settings.master_key:
        return ok("master key", "given by the environment")
    if not file.exists():
        return ok("master key", f"made at the first start, in {file}; after a restore, put it back first")
    if _is_open(file, *file.parents[:1]):
        return fail(
            "master key", f"others may read {file}", f"chmod 0600 {file}; setpoint rotate-keys --master NEW"
        )
    return ok("master key", f"{file}, closed to others; keep a copy apart from backups")


def token(site: Site) -> Finding:
    """The administrator's token opens everything."""
    file = site.folder / "admin.token"
    if not file.exists():
        return ok("admin token", f"made at the first start, in {file}")
    if _is_open(file, site.folder):
        return fail("admin token", f"others may read {file}", f"chmod 0600 {file}")
    return ok("admin token", f"{file}, closed to others")


def unlocked(site: Site) -> Finding:
    """One process at a time enforces a folder."""
    if not (site.folder / NAME).exists():
        return ok("lock", "no process has had this folder")
    try:
        FolderLock(site.folder).release()
    except Denied as error:
        return fail("lock", str(error).partition(";")[0], "stop it, or --data DIR")
    return ok("lock", "no process has this folder")


def nearest(folder: Path) -> Path:
    """The folder, or what is there of the way to it."""
    return next(place for place in (folder, *folder.absolute().parents) if _is_there(place))


def _is_there(place: Path) -> bool:
    try:
        return place.is_dir()
    except PermissionError:
        return False


def _is_open(file: Path, *folders: Path) -> bool:
    """Whether somebody else may do anything with it, and gets to it."""
    return bool(file.stat().st_mode & OTHERS) and all(
        place.stat().st_mode & OTHERS_ENTER for place in folders
    )
