"""Paths as a viewer of the repository knows them."""

from __future__ import annotations


def relative_path(path: str, workspace: str | None) -> str:
    """Return a path as seen from the workspace; one that lies elsewhere stays as it is."""
    root = workspace.rstrip("/\\") if workspace else ""
    if root and path.startswith((f"{root}/", f"{root}\\")):
        return path[len(root) + 1 :]
    return path.removeprefix("./")
