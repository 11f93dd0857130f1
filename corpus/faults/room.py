"""A room: a private home and /tmp, in which one program runs without touching the machine.

Everything that torch, Triton and a compiler write by default lands in these two
folders, so the paths in a log are those of an ordinary user. A room can be copied,
so that each fix starts from the state that the fault left. Mounts are made in a
private mount namespace and end with the program.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpus.faults.model import Run

#: Empty by convention on every system, so that nothing is hidden by what is mounted there.
MOUNT = "/mnt"
#: Settings of the machine that would leak into a room.
FOREIGN = re.compile("TORCH|TRITON|PYTORCH|CUDA_HOME|CC|CXX|OMP_|PYTHON|VIRTUAL_ENV|PIP_|MAX_JOBS|TEMP|TMP|XDG_")
LOG_BYTES = 2_000_000
#: The exit code of a room that could not be made as the fault wants it.
REFUSED = 97
BASH = "/bin/bash"
#: A process namespace of its own: when its first process is killed, all are, and it is when this program ends.
UNSHARE = [
    *("/usr/bin/setpriv", "--pdeathsig", "KILL", "/usr/bin/unshare", "--mount", "--pid", "--fork"),
    *("--mount-proc", "--kill-child", "--propagation", "private"),
]

ENTER = f"""
ulimit -c 0; declare +x ROOM
mount -t tmpfs none {MOUNT} && mkdir {MOUNT}/user && mount --bind "$ROOM/home" {MOUNT}/user || exit {REFUSED}
mount --bind "$ROOM/tmp" /tmp || exit {REFUSED}
export HOME={MOUNT}/user; cd "$HOME"
"""
#: Where mounts are forbidden, variables lead into the room, and faults that need a mount are refused.
ENTER_WITHOUT_MOUNTS = """
ulimit -c 0
declare +x ROOM; export HOME=$ROOM/home TMPDIR=$ROOM/tmp; cd "$HOME"
mount() { return 1; }
"""

#: Defined in the shell of every room, for the lines of faults and fixes.
PRELUDE = r"""
CACHE="${TMPDIR:-/tmp}/torchinductor_$USER"
# BEFORE is what the program is started with, such as a limit.
workload() { $BEFORE "$PYTHON" "$HOME/$WORKLOAD.py"; }
sudo() { "$@"; }
refuse() { echo "refused: $*" >&2; exit 97; }
# own FOLDER [SOURCE]: the folder shows the source; what is changed there stays in the room.
own() {
  local layer="$ROOM/layers/${1//\//_}"; rm -rf "$layer/work"; mkdir -p "$layer/up" "$layer/work" "$1"
  mount -t overlay none -o "lowerdir=${2:-$1},upperdir=$layer/up,workdir=$layer/work" "$1" || refuse "overlay on $1"
}
# own_system: programs may be installed and removed.
own_system() { local folder; for folder in /usr /etc /var/lib /var/cache /var/log; do own "$folder"; done; }
# path_without NAME...: a PATH that has every program of this one but those.
path_without() {
  mkdir -p "$HOME/bin"
  local folder folders name
  IFS=: read -ra folders <<< "$PATH"
  for folder in "${folders[@]}"; do ln -s "$folder"/* "$HOME/bin/" 2> /dev/null || true; done
  for name in "$@"; do (cd "$HOME/bin" && rm -f -- $name); done
  export PATH="$HOME/bin"
}
# hide FOLDER: the folder is there and empty.
hide() { mount -t tmpfs none "$1" || refuse "mount on $1"; }
# on_tmpfs FOLDER OPTIONS: the folder is a file system of its own.
on_tmpfs() { mkdir -p "$1" && mount -t tmpfs -o "$2" none "$1" || refuse "mount on $1"; }
# remount FOLDER OPTION: the folder keeps its files; the option (ro, noexec) holds for it.
remount() { mkdir -p "$1" && mount --bind "$1" "$1" && mount -o "remount,bind,$2" "$1" || refuse "mount on $1"; }
# without PATH...: the files or folders are absent.
without() {
  local path folder layers; layers=$(mktemp -d) && mount -t tmpfs none "$layers" || refuse "mount on $layers"
  for path in "$@"; do
    [ -e "$path" ] || [ -L "$path" ] || continue
    folder=$(dirname "$path"); local key=${folder//\//_}
    if [ ! -d "$layers/$key" ]; then
      mkdir -p "$layers/$key/up" "$layers/$key/work"
      mount -t overlay none -o "lowerdir=$folder,upperdir=$layers/$key/up,workdir=$layers/$key/work" "$folder" \
        || refuse "overlay on $folder"
    fi
    rm -rf "$path"
  done
}
# interrupt_after SECONDS: the program is stopped as if by Ctrl-C.
interrupt_after() { BEFORE="timeout --kill-after=15 --signal=INT $1 env --default-signal=INT"; }
# let_others_read FOLDER: other users reach it, whoever owns the folders above it.
let_others_read() {
  setpriv --reuid=65534 --clear-groups test -r "$1" && return
  mkdir /mnt/base && mount --bind "$1" /mnt/base && mount -t tmpfs -o mode=755 none "/$(cut -d/ -f2 <<< "$1")" \
    && mkdir -p "$1" && mount --bind /mnt/base "$1" || refuse "mount on $1"
}
# keep_part PERCENT FILE...: cut the end off each file.
keep_part() { local percent=$1 file; shift
  for file in "$@"; do truncate -s $(( $(stat -c %s "$file") * percent / 100 )) "$file"; done; }
"""


@dataclass(frozen=True, slots=True)
class Room:
    """The folder on the machine that holds a room's home and /tmp."""

    root: Path

    def copy_to(self, root: Path) -> Room:
        """Return a copy, made anew."""
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["/bin/cp", "-a", self.root, root], check=True)
        return Room(root)

    def write(self, name: str, text: str) -> None:
        """Put a program into the home folder."""
        (self.root / "home" / f"{name}.py").write_text(text, encoding="utf-8")

    def run(self, workload: str, lines: tuple[str, ...], seconds: float) -> Run:
        """Run lines of bash in the room; what they leave behind is killed."""
        private = why_no_room() is None
        script = "\n".join([ENTER if private else ENTER_WITHOUT_MOUNTS, PRELUDE, *lines])
        log, repair = self.root / "log", self.root / "repair"
        started = time.monotonic()
        with log.open("wb") as output, repair.open("wb") as aside:
            child = subprocess.Popen(
                [*(UNSHARE if private else ()), BASH, "-c", script],
                env=self.environment(workload) | {"ASIDE": str(aside.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(aside.fileno(),),
                start_new_session=True,
            )
            try:
                exit_code: int | None = child.wait(seconds)
            except subprocess.TimeoutExpired:
                exit_code = None
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        elapsed = time.monotonic() - started
        return Run(exit_code=exit_code, seconds=elapsed, log=read_bounded(log), repair=read_bounded(repair))

    def environment(self, workload: str) -> dict[str, str]:
        """Return the variables of a user who has set nothing for torch."""
        own = {name: value for name, value in os.environ.items() if FOREIGN.match(name) is None}
        own |= {
            "ROOM": str(self.root),
            "WORKLOAD": workload,
            "PYTHON": sys.executable,
            "PREFIX": sys.prefix,
            "BASE": sys.base_prefix,
            "USER": "user",
            "LOGNAME": "user",
            "LC_ALL": "C",
        }
        # Less output and less to wait for, with the same failures.
        return own | {"TORCHINDUCTOR_COMPILE_THREADS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def new_room(root: Path) -> Room:
    """Make an empty room."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "home").mkdir(parents=True)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    return Room(root)


def read_bounded(path: Path) -> bytes:
    """Read a log, and of a huge one the beginning and the end."""
    data = path.read_bytes()
    half = LOG_BYTES // 2
    return data if len(data) <= LOG_BYTES else data[:half] + b"\n[...]\n" + data[-half:]


@cache
def why_no_room() -> str | None:
    """Tell what this machine lacks for rooms, or ``None``."""
    if Path("/tmp") in Path(sys.prefix).resolve().parents:  # noqa: S108 - the folder that a room covers
        return "this Python is below /tmp, which a room covers with its own"
    if missing := [program for program in (UNSHARE[0], UNSHARE[3]) if not Path(program).exists()]:
        return f"no {missing[0]}"
    probe = f"mount -t tmpfs none {MOUNT}"
    done = subprocess.run([*UNSHARE, BASH, "-c", probe], capture_output=True, check=False)
    return None if done.returncode == 0 else f"no private mounts: {done.stderr.decode(errors='replace').strip()}"
