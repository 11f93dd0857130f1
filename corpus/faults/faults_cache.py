"""Faults of the compile caches: broken files, locks, permissions, and file systems that refuse."""

from __future__ import annotations

from corpus.faults.faults_shapes import CLEAR, SUPPRESS, SUPPRESS_HELPS
from corpus.faults.faults_toolchain import DISABLE, rule
from corpus.faults.model import Fault, Fix

TRUNCATED = "cache/truncated-artifact"
KERNELS = "$(grep -rl --include='*.cpp' in_ptr0 \"$CACHE\")"
LIBRARIES = f"$(for source in {KERNELS}; do echo ${{source%.cpp}}.so; done)"
MODULES = "$(find \"$CACHE\" -name '*.py' -size +1k)"
NO_GRAPH_CACHE = Fix(
    id="no-graph-cache",
    helps=False,
    run=("export TORCHINDUCTOR_FX_GRAPH_CACHE=0 TORCHINDUCTOR_AUTOGRAD_CACHE=0",),
)
CLEAR_TRITON = Fix(id="clear-triton-cache", helps=False, run=("rm -rf ~/.triton/cache",))
CLEAR_GRAPHS = Fix(id="clear-graph-caches", helps=False, run=('rm -rf "$CACHE"/fxgraph "$CACHE"/aotautograd',))
OTHER_DIR = rule("other-cache-dir")
OTHER_TMPDIR = rule("other-tmpdir")
CHMOD = Fix(id="chmod", helps=False, run=('chmod -R 777 "$CACHE"',))


def broken(name: str, prepare: str, *fixes: Fix, inject: tuple[str, ...] = (), start: str = "warm") -> Fault:
    """Return the fault of a file that was cut off in a cache."""
    return Fault(
        name=name, label=TRUNCATED, workload="infer", start=start, prepare=(prepare,), inject=inject, fixes=fixes
    )


FILES = (
    broken(
        "library-empty",
        f"keep_part 0 {LIBRARIES}",
        rule("delete-bad-library"),
        rule("force-disable-caches"),
        rule("delete-caches"),
        Fix(id="other-cache-dir", helps=True, run=("export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor",)),
        NO_GRAPH_CACHE,
        CLEAR_GRAPHS,
        CLEAR_TRITON,
        SUPPRESS_HELPS,
        DISABLE,
    ),
    broken(
        "library-cut",
        f"keep_part 15 {LIBRARIES}",
        rule("delete-caches"),
        rule("force-disable-caches"),
        SUPPRESS,
        NO_GRAPH_CACHE,
        Fix(id="more-stack", helps=False, run=("ulimit -s unlimited; ulimit -c unlimited",)),
        inject=("export PYTHONFAULTHANDLER=1",),
    ),
    broken(
        "library-cut-silent",
        f"keep_part 15 {LIBRARIES}",
        rule("delete-caches"),
        rule("force-disable-caches"),
        SUPPRESS,
    ),
    broken(
        "module-half",
        f"keep_part 50 {MODULES}",
        rule("delete-bad-module"),
        rule("force-disable-caches"),
        rule("delete-caches"),
        NO_GRAPH_CACHE,
        CLEAR_GRAPHS,
        SUPPRESS_HELPS,
    ),
    broken(
        "module-empty",
        f"keep_part 0 {MODULES}",
        rule("delete-bad-module"),
        rule("force-disable-caches"),
        rule("delete-caches"),
    ),
    broken(
        "source-half",
        f"rm {LIBRARIES}; keep_part 50 {KERNELS}",
        rule("delete-bad-source"),
        rule("force-disable-caches"),
        rule("delete-caches"),
        Fix(id="cxx-env", helps=None, run=("export CXX=g++-12",)),
    ),
    Fault(
        name="graph-entries-garbage",
        label=TRUNCATED,
        workload="infer",
        start="warm",
        prepare=(
            'for f in $(find "$CACHE"/fxgraph "$CACHE"/aotautograd -type f); do head -c 4000 /dev/urandom > $f; done',
        ),
        symptom="unable to load compiled graph|unable to load|Traceback",
        fixes=(rule("delete-graph-caches"), rule("delete-caches", helps=True), CLEAR_TRITON),
    ),
    Fault(
        name="cache-swept",
        label="cache/vanished-file",
        workload="infer",
        start="probed",
        # Something that cleans up /tmp far too eagerly, and goes on doing so.
        inject=('(while sleep 0.05; do find "$CACHE" -name "*.cpp" -delete; done) 2> /dev/null &',),
        fixes=(
            rule("run-again"),
            rule("delete-caches", helps=False),
            Fix(id="reinstall-gxx", helps=False, run=("which g++",)),
        ),
    ),
)
LOCKS = (
    Fault(
        name="extension-baton",
        label="cache/stale-lock",
        workload="extension",
        start="warm",
        prepare=("touch $(dirname $(find ~/.cache/torch_extensions -name build.ninja))/lock",),
        inject=("interrupt_after 40",),
        fixes=(
            rule("delete-baton"),
            rule("delete-extension"),
            SUPPRESS,
            CLEAR,
            Fix(id="build-with-one-job", helps=False, run=("export MAX_JOBS=1",)),
        ),
    ),
    Fault(
        name="lock-held",
        label="cache/stale-lock",
        workload="infer",
        start="warm",
        prepare=(f'rm {LIBRARIES}; rm -rf "$CACHE"/fxgraph "$CACHE"/aotautograd',),
        inject=(
            'flock --version > /dev/null; for f in "$CACHE"/locks/*.lock; do flock "$f" sleep 300 & done; sleep 1',
            "interrupt_after 60",
        ),
        fixes=(
            rule("other-cache-dir"),
            Fix(id="force-disable-caches", helps=None, run=("export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1",)),
            SUPPRESS,
        ),
    ),
)
#: A user who owns his home, and for whom root has run before.
STRANGER = 65534
PERMISSION = "cache/permission"
LET_IN = ('let_others_read "$BASE"',)
ROOTS = 'chown -R 65534 "$HOME"; chmod 755 "$CACHE"'
REFUSING = (
    Fault(
        name="cache-of-root",
        label=PERMISSION,
        workload="infer",
        start="probed",
        prepare=(ROOTS,),
        inject=LET_IN,
        user=STRANGER,
        fixes=(
            OTHER_DIR,
            Fix(id="own-the-cache", helps=True, root=('chown -R 65534 "$CACHE"',)),
            rule("writable-home", helps=False),
            Fix(id="other-tmpdir", helps=True, run=("export TMPDIR=$HOME/tmp", 'mkdir -p "$TMPDIR"')),
            CHMOD,
            CLEAR,
            SUPPRESS_HELPS,
        ),
    ),
    Fault(
        name="warm-cache-of-root",
        label=PERMISSION,
        workload="infer",
        start="warm",
        prepare=(f'{ROOTS}; chmod -R a+rX "$CACHE"',),
        inject=LET_IN,
        user=STRANGER,
        fixes=(
            OTHER_DIR,
            Fix(id="own-the-cache", helps=True, root=('chown -R 65534 "$CACHE"',)),
            Fix(id="readable-by-all", helps=False, root=('chmod -R a+rX "$CACHE"',)),
            CLEAR,
        ),
    ),
    Fault(
        name="cache-full",
        label="cache/no-space",
        workload="infer",
        inject=('on_tmpfs "$CACHE" size=64k',),
        fixes=(
            OTHER_DIR,
            Fix(id="other-tmpdir", helps=True, run=("export TMPDIR=$HOME/tmp", 'mkdir -p "$TMPDIR"')),
            rule("delete-caches", helps=False),
            CHMOD,
        ),
    ),
    Fault(
        name="tmp-full",
        label="cache/no-space",
        workload="infer",
        start="probed",
        seconds=300,
        inject=("on_tmpfs /tmp size=20m; export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=1",),
        fixes=(
            Fix(id="other-tmpdir", helps=True, run=("export TMPDIR=$HOME/tmp", 'mkdir -p "$TMPDIR"')),
            Fix(id="no-precompiled-header", helps=True, run=("export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0",)),
            Fix(id="other-cache-dir", helps=False, run=("export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor",)),
            CLEAR,
        ),
    ),
    Fault(
        name="tmp-noexec",
        label="cache/noexec-or-readonly",
        workload="infer",
        inject=("on_tmpfs /tmp noexec",),
        fixes=(
            OTHER_DIR,
            OTHER_TMPDIR,
            rule("remount-exec"),
            Fix(id="chmod", helps=False, run=('mkdir -p "$CACHE"; chmod -R 777 "$CACHE"',)),
            CLEAR,
        ),
    ),
    Fault(
        name="cache-read-only",
        label="cache/noexec-or-readonly",
        workload="infer",
        start="warm",
        inject=('remount "$CACHE" ro',),
        fixes=(
            OTHER_DIR,
            OTHER_TMPDIR,
            Fix(
                id="copy-warm-cache",
                helps=True,
                run=('cp -r "$CACHE" /tmp/inductor_copy', "export TORCHINDUCTOR_CACHE_DIR=/tmp/inductor_copy"),
            ),
            CHMOD,
            CLEAR,
            NO_GRAPH_CACHE,
            SUPPRESS_HELPS,
        ),
    ),
    Fault(
        name="no-temporary-directory",
        label="cache/noexec-or-readonly",
        workload="infer",
        start="probed",
        inject=("remount /tmp ro; remount /var/tmp ro; cd /sys",),
        fixes=(
            OTHER_TMPDIR,
            Fix(id="other-cache-dir", helps=False, run=("export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor",)),
            CLEAR,
        ),
    ),
)
FAULTS = (*FILES, *LOCKS, *REFUSING)
