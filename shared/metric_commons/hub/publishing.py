"""Publishing: a Space holds the files of its bundle, no others, and a tag for every version."""

from hashlib import sha1
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from .bundling import Sdk, bundle
from .imports import PACKAGE

Change = Literal["created", "updated", "tagged", "unchanged"]

_ATTRIBUTES = ".gitattributes"  # which the Hub adds to every Space


class Space(NamedTuple):
    """The address of a published module, and what publishing changed."""

    address: str
    change: Change


def publish(namespace: str, name: str, *, sdk: Sdk = "static", private: bool = False) -> Space:
    """The Space `namespace/name` of a module, created or brought up to date, and what changed.

    The version is tagged as `vX.Y.Z`, the tag that `evaluate.load(..., revision="X.Y.Z")` loads. A
    Space that is up to date is left alone. `private` is for a Space that is created.

    Raises:
        ValueError: there is no such module, no token, or the tag exists with other content.
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
        files = {path.name: _blob_id(path) for path in folder.iterdir()}
        tags = _tags(api, space)
        if tags and tag in tags and _files(api, space, tag) != files:
            raise ValueError(
                f"{space} has a tag {tag} with another content; what changes needs a new version"
            )
        is_new = tags is None
        is_outdated = is_new or _files(api, space, "main") != files
        needs_tag = tag not in (tags or ())
        if is_new:
            api.create_repo(space, repo_type="space", space_sdk=sdk, private=private)
        if is_outdated:
            api.upload_folder(
                repo_id=space,
                repo_type="space",
                folder_path=folder,
                commit_message=f"Publish {tag}",
                delete_patterns="*",  # files that the bundle lacks; the Hub spares .gitattributes
            )
        if needs_tag:
            api.create_tag(space, repo_type="space", tag=tag)
    change: Change = "unchanged"
    if is_new:
        change = "created"
    elif is_outdated:
        change = "updated"
    elif needs_tag:
        change = "tagged"
    return Space(f"{api.endpoint}/spaces/{space}", change)


def _version() -> str:
    """The version to publish, which must not be the version of `evaluate`.

    Without a revision, evaluate X.Y.Z loads the tag vX.Y.Z of a Space if there is one, and the
    latest files otherwise.
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
    """The files of a Space, with the ids of their contents in git."""
    tree = api.list_repo_tree(space, repo_type="space", revision=revision, recursive=True)
    return {
        entry.path: entry.blob_id
        for entry in tree
        if hasattr(entry, "blob_id") and entry.path != _ATTRIBUTES
    }


def _blob_id(path: Path) -> str:
    """The id of a file's content in git, which hashes a header with the size before the content."""
    content = path.read_bytes()
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
