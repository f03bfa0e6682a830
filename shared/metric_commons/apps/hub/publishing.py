"""Publish modules: a Space contains the files of its bundle, with a tag for every version."""

from importlib import metadata
from tempfile import TemporaryDirectory
from typing import Any

from .bundling import MARKER_FILE, bundle
from .imports import PACKAGE


def publish(namespace: str, name: str, *, private: bool = False) -> str:
    """Create or update the Space `namespace/name` of a module, and return what changed.

    The version is tagged as `vX.Y.Z`, which `evaluate.load(..., revision="X.Y.Z")` loads. What a
    tag holds never changes. `private` applies to a Space that is created.

    Raises:
        ValueError: the module is unknown, there is no token, or the Space is someone else's.
        OSError: the Hub cannot be reached, or refuses.
    """
    import huggingface_hub
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined] # of its HTTP client

    if huggingface_hub.get_token() is None:
        raise ValueError(
            "there is no Hub token: log in with 'hf auth login', or set HF_TOKEN to a token "
            "with write access"
        )
    api = huggingface_hub.HfApi()
    try:
        change = _published(api, f"{namespace}/{name}", name, private=private)
    except HTTPError as error:
        raise OSError(f"the Hub, {api.endpoint}: {error}") from error
    return f"{change:10}{api.endpoint}/spaces/{namespace}/{name}"


def _published(api: Any, space: str, name: str, *, private: bool) -> str:
    """Return what was done to a Space: created, updated or unchanged."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.errors import RepositoryNotFoundError

    of_space: dict[str, Any] = {"repo_id": space, "repo_type": "space"}
    tag = f"v{metadata.version(PACKAGE)}"
    try:
        tags = [ref.name for ref in api.list_repo_refs(**of_space).tags]
        present = set(api.list_repo_files(**of_space))
    except RepositoryNotFoundError:
        change, present = "created", set[str]()
        api.create_repo(**of_space, space_sdk="static", private=private)
    else:
        change = "updated"
        if MARKER_FILE not in present:
            raise ValueError(
                f"{space} is a Space that metric-commons did not create, or whose creation was "
                "interrupted; delete it, or choose another namespace"
            )
        if tag in tags:
            return "unchanged"
    with TemporaryDirectory() as scratch:
        paths = sorted(bundle(name, scratch, namespace=space.partition("/")[0]).iterdir())
        # All in one commit, which `upload_folder` does not promise.
        changes: list[Any] = [CommitOperationAdd(path.name, path) for path in paths]
        old = {file for file in present if file.endswith(".py")} - {path.name for path in paths}
        changes += map(CommitOperationDelete, sorted(old))
        api.create_commit(**of_space, operations=changes, commit_message=f"Publish {tag}")
    api.create_tag(**of_space, tag=tag)
    return change
