"""Who printed a line: what decorations say, put together and named.

A name depends on the decorations alone, never on the rest of a region, so the
same process has the same name in every region of a log.
"""

from __future__ import annotations

from functools import lru_cache

from tracelens.expressions import expression
from tracelens.record import Record, replace
from tracelens.text import Process

#: A rank in the name of a worker (`Worker_TP1`), a pod or a container (`trainer-worker-2`).
_RANK_IN_NAME = expression(r"(?:^|[_\-. /(])(?:(?:rank|RANK)[_\-=]?|TP|EP|[Ww]orker[_\-])(\d{1,5})(?![\w.])")
#: Several dimensions of parallelism (`Worker_DP1_TP0`) are no single rank.
_DIMENSION = expression(r"(?<![A-Za-z])(?:DP|TP|PP|EP)\d")


class Owner(Record):
    """What the decorations of one line say about its process.

    ``places`` are hosts, pods and containers, outermost first. ``worker`` is a
    name that includes the pid, as Ray and vLLM print it. ``rank`` counts over
    all nodes, ``local_rank`` on one. ``sticky`` owners print a decoration on
    the first line of a record only: bare lines that follow are theirs.
    """

    places: tuple[str, ...] = ()
    worker: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    sticky: bool = False


@lru_cache(maxsize=4096)
def merge(outer: Owner | None, inner: Owner | None) -> Owner | None:
    """Return what two decorations of one line say together; repeats say nothing new."""
    if outer is None or inner is None:
        return inner if outer is None else outer
    places = outer.places + tuple(place for place in inner.places if place not in outer.places)
    return Owner(
        places=places,
        worker=inner.worker or outer.worker,
        rank=outer.rank if inner.rank is None else inner.rank,
        local_rank=outer.local_rank if inner.local_rank is None else inner.local_rank,
        pid=outer.pid if inner.pid is None else inner.pid,
        sticky=outer.sticky and inner.sticky,
    )


@lru_cache(maxsize=4096)
def name_of(owner: Owner) -> str:
    """Return the name that tells this process from the others of the log."""
    own = owner.worker
    if own is None:
        rank = owner.local_rank if owner.rank is None else owner.rank
        own = None if rank is None else f"rank {rank}"
    return "/".join((*owner.places, own) if own else owner.places)


def process_of(owners: list[Owner]) -> Process:
    """Return the process that owners of one name are; any of them may know its rank."""
    name = name_of(owners[0])
    ranks = (owner.local_rank if owner.rank is None else owner.rank for owner in owners)
    rank = next((rank for rank in ranks if rank is not None), None)
    pids = (owner.pid for owner in owners)
    return Process(
        name=name,
        rank=_rank_in(name) if rank is None else rank,
        pid=next((pid for pid in pids if pid is not None), None),
    )


def _rank_in(name: str) -> int | None:
    """Return the rank that a name carries, if it carries one."""
    if len(_DIMENSION.findall(name)) > 1:
        return None
    match = _RANK_IN_NAME.search(name)
    return None if match is None else int(match.group(1))


def with_known_rank(owner: Owner, ranks: dict[tuple[tuple[str, ...], int], int]) -> Owner:
    """Fill in the global rank of a local one, where other lines told both."""
    if owner.rank is not None or owner.local_rank is None:
        return owner
    rank = ranks.get((owner.places, owner.local_rank))
    return owner if rank is None else replace(owner, rank=rank)
