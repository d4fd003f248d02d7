"""The SQLite file: open, migrate and copy it, and explain its errors.

A transaction that has returned survives a power cut (WAL, synchronous=FULL).
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from node0.refusals import Unavailable

# What SQLite keeps of the file: a negative number is in KiB. By default 2 MiB, but all records are in memory already.
CACHE_SIZE = -512

SCHEMA = Path(__file__).with_name("schema")

# Prefix of SQLite's name for the error → code, the fault in words, and the remedy.
_REMEDIES = {
    "SQLITE_FULL": ("store-full", "has no room left", "Free space there; the service then continues by itself."),
    "SQLITE_READONLY": ("store-read-only", "cannot be written", "See `dmesg` for why, then start this host again."),
}
_OTHER = ("store-failed", "cannot be used", "See `dmesg` for errors of its disk, then start this host again.")


def connect(path: Path) -> sqlite3.Connection:
    """Open or create the database, and apply every migration. Raises `Unavailable`."""
    try:
        return _connect(path)
    except (sqlite3.DatabaseError, OSError) as error:
        raise unavailable(path, error) from error


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False)
    path.chmod(0o600)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA cache_size={CACHE_SIZE}")
    _migrate(connection, path)
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Each step of the schema in its own transaction; `user_version` is the number of the last one."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    steps = {int(step.name[:4]): step for step in SCHEMA.glob("*.sql")}
    if version > max(steps):
        raise Unavailable(
            code="store-newer",
            title=f"The database {path} is of version {version}; this release knows {max(steps)}.",
            remedy="Boot the release that wrote it, or remove the file to start from scratch.",
        )
    for number in sorted(number for number in steps if number > version):
        connection.executescript(f"BEGIN;\n{steps[number].read_text()}\nPRAGMA user_version = {number};\nCOMMIT;")


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the database to `target`, which appears only when it is complete and synced."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.moving")
    unfinished.unlink(missing_ok=True)
    duplicate = sqlite3.connect(unfinished)
    try:
        connection.backup(duplicate)
        duplicate.execute("PRAGMA journal_mode=DELETE")
    finally:
        duplicate.close()
    _sync(unfinished)
    unfinished.replace(target)
    _sync(target.parent)


def remove(path: Path) -> None:
    """Remove the database at `path` and the files that SQLite keeps next to it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unavailable(path: Path, error: Exception) -> Unavailable:
    """An error of SQLite, or of the file system below it, as the refusal of a request."""
    name = getattr(error, "sqlite_errorname", "")
    code, words, remedy = next((row for prefix, row in _REMEDIES.items() if name.startswith(prefix)), _OTHER)
    return Unavailable(code=code, title=f"The database {path} {words}: {error}.", remedy=remedy)
