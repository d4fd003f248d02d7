"""Where the database is: in RAM while node0 runs live, then on the state file system."""

from __future__ import annotations

from pathlib import Path

from agent.machine.files import Files
from agent.model import host_paths
from node0.refusals import Conflict

DATABASE = host_paths.NODE0_DATABASE

# The directory of uploaded logs, next to the database.
LOGS = "logs"


class Locations:
    """`files`: the machine's."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def at_start(self) -> Path:
        """The database on the state file system if there is one: it is the newer one."""
        moved = self._files.at(host_paths.STATE_MOUNT + DATABASE)
        return moved if moved.exists() else self._files.at(DATABASE)

    def logs(self) -> Path:
        """The directory of uploaded logs."""
        return self.at_start().with_name(LOGS)

    def on_state_file_system(self) -> Path:
        """Where to move the database. Raises `Conflict` while the state file system is not mounted."""
        mount = self._files.at(host_paths.STATE_MOUNT)
        if not mount.is_dir() or mount.stat().st_dev == mount.parent.stat().st_dev:
            raise Conflict(
                code="state-not-mounted",
                title=f"No file system is mounted at {host_paths.STATE_MOUNT}, so the database cannot move there.",
            )
        return self._files.at(host_paths.STATE_MOUNT + DATABASE)
