"""Publishing: a Space holds just what its bundle holds, and a tag for every version."""

from hashlib import sha1
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from .bundling import Sdk, bundle
from .imports import PACKAGE

Change = Literal["created", "updated", "tagged", "unchanged"]

_ATTRIBUTES = ".gitattributes"  # the Hub's own, in every Space


class Space(NamedTuple):
    """Where a module was published, and what that changed."""

    address: str
    change: Change


def publish(namespace: str, name: str, *, sdk: Sdk = "static", private: bool = False) -> Space:
    """The Space `namespace/name` of a module, made or brought up to date, and what changed.

    The version is tagged as `vX.Y.Z`, which `evaluate.load(..., revision="X.Y.Z")` asks for. What
    is as it should be is left alone. `private` counts when a Space is made.

    Raises:
        ValueError: there is no such module, no token, or another content has this version.
        OSError: the Hub cannot be reached, or refuses.
    """
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined] # of its HTTP client

    if huggingface_hub.get_token() is None:
        raise ValueError(
            "there is no token of the Hub: log in with 'hf auth login', or set HF_TOKEN to one "
            "that may write"
        )
    try:
        return _publish(huggingface_hub.HfApi(), namespace, name, sdk=sdk, private=private)
    except HTTPError as error:
        raise OSError(f"the Hub, {constants.ENDPOINT}: {error}") from error


def _publish(api: Any, namespace: str, name: str, *, sdk: Sdk, private: bool) -> Space:
    tag = f"v{_version()}"
    space = f"{namespace}/{name}"
    with TemporaryDirectory() as scratch:
        folder = bundle(name, scratch, sdk=sdk, namespace=namespace)
        wanted = {path.name: _blob(path) for path in folder.iterdir()}
        tags = _tags(api, space)
        if tags and tag in tags and _files(api, space, tag) != wanted:
            raise ValueError(
                f"{space} has a tag {tag} with another content; what changes needs a new version"
            )
        new = tags is None
        stale = new or _files(api, space, "main") != wanted
        untagged = tag not in (tags or ())
        if new:
            api.create_repo(space, repo_type="space", space_sdk=sdk, private=private)
        if stale:
            api.upload_folder(
                repo_id=space,
                repo_type="space",
                folder_path=folder,
                commit_message=f"Publish {tag}",
                delete_patterns="*",  # what the bundle has no more; the Hub keeps its own
            )
        if untagged:
            api.create_tag(space, repo_type="space", tag=tag)
    changes: dict[Change, bool] = {"created": new, "updated": stale, "tagged": untagged}
    change: Change = next((change for change, made in changes.items() if made), "unchanged")
    return Space(f"{api.endpoint}/spaces/{space}", change)


def _version() -> str:
    """The version to publish, if `evaluate` would not take its tag for one of its own.

    Without a revision, evaluate X looks for the tag vX before it takes the latest files.
    """
    version = metadata.version(PACKAGE)
    if version == metadata.version("evaluate"):
        raise ValueError(
            f"version {version} is also that of evaluate, which would stay at this tag for ever; "
            "choose the next one"
        )
    return version


def _tags(api: Any, space: str) -> set[str] | None:
    """The tags of a Space; None if it does not exist."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return {tag.name for tag in api.list_repo_refs(space, repo_type="space").tags}
    except RepositoryNotFoundError:
        return None


def _files(api: Any, space: str, revision: str) -> dict[str, str]:
    """The files of a Space, each with the id that git gives its content."""
    tree = api.list_repo_tree(space, repo_type="space", revision=revision, recursive=True)
    return {
        entry.path: entry.blob_id
        for entry in tree
        if hasattr(entry, "blob_id") and entry.path != _ATTRIBUTES
    }


def _blob(path: Path) -> str:
    content = path.read_bytes()
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
