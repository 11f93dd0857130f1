"""Faults of the tools that torch calls, and of libraries that do not fit each other.

Packages are really removed and installed, in a copy of the system that the room owns.
"""

from __future__ import annotations

from corpus.faults.faults_shapes import CLEAR, SUPPRESS, SUPPRESS_HELPS
from corpus.faults.model import Fault, Fix

SYSTEM = ("own_system",)
UPDATE = "own_system; apt-get update -qq"
PURGE = "dpkg --purge --force-depends"
#: The release before this one, from the same mirror.
OLDER_RELEASE = """
sed -n '1,/^$/p' /etc/apt/sources.list.d/debian.sources | sed 's/^Suites:.*/Suites: bullseye/' \\
  > /etc/apt/sources.list.d/older.sources
apt-get update -qq
"""
INCLUDE = 'INCLUDE=$("$PYTHON" -c \'import sysconfig; print(sysconfig.get_config_var("INCLUDEPY"))\')'
DISABLE = Fix(id="disable-compile", helps=True, run=("export TORCH_COMPILE_DISABLE=1",))
NINJA = Fix(id="install-ninja", helps=False, run=("python -m pip install ninja",))
COMPILER = "toolchain/cxx-missing"


def rule(identity: str, *, helps: bool | None = True) -> Fix:
    """Return a fix whose commands are those of the rule that answers."""
    return Fix(id=identity, helps=helps)


COMPILERS = (
    Fault(
        name="no-gxx",
        label=COMPILER,
        workload="infer",
        start="probed",
        prepare=(UPDATE, "apt-get purge -y -qq g++ g++-12"),
        inject=SYSTEM,
        fixes=(rule("install-gxx"), rule("cxx-env", helps=False), DISABLE, SUPPRESS_HELPS, NINJA, CLEAR),
    ),
    Fault(
        name="gxx-off-path",
        label=COMPILER,
        workload="infer",
        start="probed",
        prepare=(UPDATE,),
        inject=("own_system; path_without g++ 'g++-*' 'x86_64-linux-gnu-g++*' c++ 'clang++*'",),
        fixes=(
            rule("cxx-env", helps=None),
            rule("install-gxx", helps=False),
            Fix(id="cxx-by-path", helps=True, run=("export CXX=/usr/bin/g++",)),
            Fix(id="longer-path", helps=True, run=("export PATH=$PATH:/usr/bin",)),
            CLEAR,
        ),
    ),
    Fault(
        name="cxx-names-nothing",
        label=COMPILER,
        workload="infer",
        start="probed",
        prepare=(UPDATE,),
        inject=("own_system; export CXX=/opt/gcc-13/bin/g++",),
        fixes=(
            Fix(id="unset-cxx", helps=True, run=("unset CXX",)),
            Fix(id="cxx-env", helps=True, run=("export CXX=$(command -v g++ || command -v clang++)",)),
            Fix(id="install-gxx", helps=False, run=("apt-get install -y g++",)),
            CLEAR,
        ),
    ),
    Fault(
        name="gxx-9",
        label="toolchain/cxx-too-old",
        workload="infer",
        start="probed",
        prepare=(f"{UPDATE}; {OLDER_RELEASE}", "apt-get install -y -qq --no-install-recommends g++-9; apt-get clean"),
        inject=("own_system; export CXX=g++-9",),
        fixes=(
            rule("newer-gxx"),
            rule("install-newer-gxx", helps=False),
            DISABLE,
            Fix(id="ask-for-gnu++2a", helps=False, run=("export CXXFLAGS=-std=gnu++2a",)),
            CLEAR,
        ),
    ),
    Fault(
        name="no-cc1plus",
        label="toolchain/compiler-incomplete",
        workload="infer",
        start="probed",
        prepare=(UPDATE, 'rm "$(g++ -print-prog-name=cc1plus)"'),
        inject=SYSTEM,
        fixes=(
            rule("reinstall-gcc", helps=None),
            Fix(id="reinstall-gxx-12", helps=True, run=("apt-get install -y --reinstall g++-12",)),
            Fix(id="cxx-is-gcc", helps=False, run=("export CXX=gcc",)),
            Fix(id="cxx-env", helps=False, run=("export CXX=$(command -v g++ || command -v clang++)",)),
            DISABLE,
            CLEAR,
        ),
    ),
    Fault(
        name="no-binutils",
        label="toolchain/compiler-incomplete",
        workload="infer",
        start="probed",
        prepare=(UPDATE, f"{PURGE} binutils binutils-x86-64-linux-gnu"),
        inject=SYSTEM,
        fixes=(rule("reinstall-gcc"), Fix(id="cxx-is-gcc", helps=False, run=("export CXX=gcc",)), CLEAR),
    ),
    Fault(
        name="gcc-exec-prefix",
        label="toolchain/compiler-incomplete",
        workload="infer",
        start="probed",
        prepare=(UPDATE,),
        inject=("own_system; export GCC_EXEC_PREFIX=/opt/gcc-13/lib/gcc/",),
        fixes=(rule("clean-compiler-environment"), rule("reinstall-gcc", helps=False), CLEAR),
    ),
)
HEADERS = (
    Fault(
        name="no-python-h",
        label="toolchain/python-headers",
        workload="infer",
        start="probed",
        prepare=(UPDATE, INCLUDE, 'cp -rL "$INCLUDE" ~/include'),
        inject=("own_system", INCLUDE, 'without "$INCLUDE/Python.h"'),
        fixes=(
            Fix(id="python-headers-path", helps=True, run=("export CPLUS_INCLUDE_PATH=$HOME/include",)),
            Fix(id="c-include-path-alone", helps=False, run=("export C_INCLUDE_PATH=$HOME/include",)),
            rule("python-dev", helps=False),  # the headers of another Python than the one that runs
            DISABLE,
            SUPPRESS_HELPS,
            CLEAR,
        ),
    ),
    Fault(
        name="clang-without-libomp",
        label="toolchain/openmp",
        workload="infer",
        start="probed",
        seconds=240,
        prepare=(UPDATE, "apt-get install -y -qq --no-install-recommends clang; apt-get clean"),
        inject=("own_system; export CXX=clang++",),
        fixes=(
            rule("gxx-for-openmp"),
            rule("install-libomp"),
            Fix(id="one-thread", helps=False, run=("export OMP_NUM_THREADS=1",)),
            CLEAR,
        ),
    ),
    Fault(
        name="gxx-without-omp-h",
        label="toolchain/openmp",
        workload="infer",
        start="probed",
        prepare=(UPDATE, 'rm "$(g++ -print-file-name=include)/omp.h"'),
        inject=SYSTEM,
        fixes=(
            Fix(id="reinstall-libgcc-dev", helps=True, run=("apt-get install -y --reinstall libgcc-12-dev",)),
            rule("install-libomp", helps=False),
            rule("gxx-for-openmp", helps=False),
            Fix(id="one-thread", helps=False, run=("export OMP_NUM_THREADS=1",)),
            CLEAR,
        ),
    ),
    Fault(
        name="no-libstdcxx-dev",
        label="toolchain/std-headers",
        workload="infer",
        start="probed",
        prepare=(UPDATE, f"{PURGE} libstdc++-12-dev"),
        inject=SYSTEM,
        fixes=(
            rule("install-libstdcxx-dev"),
            Fix(id="cxx-env", helps=False, run=("export CXX=$(command -v g++ || command -v clang++)",)),
            NINJA,
            DISABLE,
            CLEAR,
        ),
    ),
    Fault(
        name="no-libc-dev",
        label="toolchain/std-headers",
        workload="infer",
        start="probed",
        prepare=(UPDATE, f"{PURGE} libc6-dev"),
        inject=SYSTEM,
        fixes=(
            rule("install-libc-dev"),
            Fix(id="reinstall-gxx", helps=None, run=("apt-get install -y --reinstall g++-12",)),
            Fix(id="cxx-is-gcc", helps=False, run=("export CXX=gcc",)),
            DISABLE,
            CLEAR,
        ),
    ),
)
HELPERS = (
    Fault(
        name="no-ninja",
        label="toolchain/ninja-missing",
        workload="extension",
        prepare=(UPDATE, f"{PURGE} ninja-build"),
        inject=SYSTEM,
        fixes=(
            rule("install-ninja"),
            rule("system-ninja"),
            rule("ninja-path", helps=False),
            Fix(id="disable-compile", helps=False, run=DISABLE.run),
            SUPPRESS,
            Fix(id="clear-the-extensions", helps=False, run=("rm -rf ~/.cache/torch_extensions",)),
        ),
    ),
    Fault(
        name="ninja-off-path",
        label="toolchain/ninja-missing",
        workload="extension",
        prepare=(UPDATE, f"{PURGE} ninja-build; python -m pip install -q ninja"),
        inject=("own_system; export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",),
        fixes=(
            rule("ninja-path", helps=None),
            Fix(id="install-ninja", helps=False, run=('"$PYTHON" -m pip install ninja',)),
            Fix(id="scripts-on-path", helps=True, run=("export PATH=/mnt/venv/bin:$PATH",)),
            rule("system-ninja"),
        ),
    ),
    Fault(
        name="no-openssl",
        label="toolchain/helper-missing",
        workload="infer",
        start="probed",
        seconds=300,
        prepare=(UPDATE, f"{PURGE} openssl"),
        inject=("own_system; export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=1",),
        fixes=(
            rule("no-precompiled-header"),
            rule("install-openssl"),
            Fix(id="pip-pyopenssl", helps=False, run=("python -m pip install pyOpenSSL",)),
            CLEAR,
        ),
    ),
    Fault(
        name="no-setuptools",
        label="toolchain/helper-missing",
        workload="extension",
        prepare=("python -m pip uninstall -y -q setuptools",),
        fixes=(
            rule("install-build-package"),
            NINJA,
            Fix(id="clear-the-extensions", helps=False, run=("rm -rf ~/.cache/torch_extensions",)),
        ),
    ),
)
LIBRARIES = (
    Fault(
        name="old-libstdcxx-on-path",
        label="abi/glibcxx",
        workload="extension",
        prepare=(
            f"{UPDATE}; {OLDER_RELEASE}",
            "cd /tmp; apt-get download -qq libstdc++6/bullseye; dpkg -x libstdc++6_*.deb ~/old",
        ),
        inject=("own_system; export LD_LIBRARY_PATH=$HOME/old/usr/lib/x86_64-linux-gnu",),
        fixes=(
            Fix(id="drop-path", helps=True, run=("unset LD_LIBRARY_PATH LD_PRELOAD",)),
            Fix(
                id="newer-libstdcxx",
                helps=False,
                run=("apt-get install -y --only-upgrade libstdc++6",),
            ),
            Fix(id="install-ninja", helps=None, run=("python -m pip install ninja",)),
            CLEAR,
        ),
    ),
    Fault(
        name="missing-source",
        label="abi/undefined-symbol",
        workload="extension",
        edit=(("[HERE / name for name in SOURCES]", '[HERE / "ops.cpp"]'),),
        fixes=(
            Fix(id="add-source", helps=True, edit=(('[HERE / "ops.cpp"]', "[HERE / name for name in SOURCES]"),)),
            Fix(id="build-again", helps=False, run=("rm -rf ~/.cache/torch_extensions",)),
            Fix(
                id="ld-library-path",
                helps=False,
                run=("export LD_LIBRARY_PATH=/mnt/venv/lib/python3.11/site-packages/torch/lib",),
            ),
            CLEAR,
        ),
    ),
    Fault(
        name="source-error",
        label="outside/user-extension-error",
        workload="extension",
        edit=(("return half(4 * x);", "return half(4 * x)"),),
        fixes=(
            Fix(id="fix-source", helps=True, edit=(("return half(4 * x)", "return half(4 * x);"),)),
            Fix(id="one-job", helps=False, run=("export MAX_JOBS=1",)),
            NINJA,
            Fix(id="build-again", helps=False, run=("rm -rf ~/.cache/torch_extensions",)),
        ),
    ),
)
FAULTS = (*COMPILERS, *HEADERS, *HELPERS, *LIBRARIES)
