"""What may be seen on a machine, in the words that rules use for it."""

from __future__ import annotations

from enum import Enum


class Topic(Enum):
    """What may be seen on a machine; rules say what it means."""

    BROKEN_LIBRARY = "broken library"
    BROKEN_KERNEL = "broken kernel"
    BROKEN_MODULE = "broken module"
    EMPTY_MODULE = "empty module"
    BROKEN_METADATA = "broken metadata"
    BROKEN_SOURCE = "broken source"
    BROKEN_GRAPH_ENTRY = "broken graph entry"
    MISSING_MEMBER = "missing member"
    SOUND_CACHES = "sound caches"
    BATON_LEFT = "baton left"
    LOCK_HELD = "lock held"
    MEMORY_KILL = "memory kill"
    NO_CXX = "no C++ compiler"
    CXX_CANNOT_RUN = "C++ compiler cannot run"
    NO_CC = "no C compiler"
    CC_CANNOT_RUN = "C compiler cannot run"
    NO_NINJA = "no ninja"
    NO_OPENSSL = "no openssl"
    NO_PACKAGE = "no package"
    OLD_LIBSTDCXX = "old libstdc++"
    CACHE_NOT_OURS = "cache not ours"
    CACHE_FULL = "cache full"
    CACHE_NOEXEC = "cache noexec"
    CACHE_READ_ONLY = "cache read-only"
    NO_TEMPORARY_FOLDER = "no temporary folder"
    NO_TRITON = "no Triton"
    OTHER_TRITON = "other Triton"
    NO_LIBCUDA = "no libcuda"
    NO_NVCC = "no nvcc"
    NO_PTXAS = "no ptxas"
    OTHER_TOOLKIT = "other toolkit"
    PTXAS_TOO_OLD = "ptxas too old"
    GPU_OLDER_THAN_TRITON = "GPU older than Triton"
