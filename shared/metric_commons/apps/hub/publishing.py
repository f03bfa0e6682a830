"""Publish modules: a Space contains the files of its bundle, with a tag for every version.

A Space of someone else is not changed, unless its files may be deleted. Files that were added to
one of our Spaces are kept.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from .bundling import MARKER_FILE, Marker, bundle
from .imports import PACKAGE

_ATTRIBUTES = ".gitattributes"  # which the Hub adds to every Space
# The other files of a new Space, and its card.
_CARD = "README.md"
_TEMPLATE = frozenset({_CARD, "index.html", "style.css"})
_NEW_CARD = re.compile(
    rb"---\n.*?\n---\s*"
    rb"(Check out the configuration reference at https://huggingface.co/docs/hub/spaces-config-reference\s*)?",
    re.DOTALL,
)


class Space(NamedTuple):
    """The address of a published module, the change, and files that are not ours."""

    address: str
    change: Literal["created", "updated", "tagged", "unchanged"]
    additions: tuple[str, ...] = ()  # files that someone has added, and that are kept
    overwritten: tuple[str, ...] = ()  # such files with a name of ours, which were replaced


def publish(
    namespace: str,
    name: str,
    *,
    private: bool = False,
    replace: bool = False,
    yes: bool = False,
) -> Space:
    """Create or update the Space `namespace/name` of a module, and return what changed.

    The version is tagged as `vX.Y.Z`, which `evaluate.load(..., revision="X.Y.Z")` loads. A Space
    that is up to date is left alone, and so is one that holds a newer version. A Space that was
    created, but not filled, is finished. `private` applies to a Space that is created.

    Args:
        namespace: a user or an organization of the Hub.
        name: the name of the module.
        private: whether a newly created Space is private.
        replace: whether to delete everything in a Space that is not part of the bundle.
        yes: whether to confirm this; otherwise an error lists the files.

    Raises:
        ValueError: the module is unknown, there is no token, the Space contains files of someone
            else or a newer version, or the tag exists with different content.
        OSError: the Hub cannot be reached, or refuses.
    """
    import huggingface_hub
    from huggingface_hub.utils.sha import git_hash

    if huggingface_hub.get_token() is None:
        raise ValueError(
            "there is no Hub token: log in with 'hf auth login', or set HF_TOKEN to a token "
            "with write access"
        )
    tag = f"v{_version()}"
    with _errors_of_hub(), TemporaryDirectory() as scratch:
        folder = bundle(name, scratch, namespace=namespace)
        # The git id of each file, by which the Hub lists its files, too.
        ours = {path.name: git_hash(path.read_bytes()) for path in folder.iterdir()}
        space = _Space(huggingface_hub.HfApi(), f"{namespace}/{name}")
        tags = space.tags()
        if tags is None:
            space.create(private=private)
        files = space.files("main")
        additions: set[str] = set()
        if tags is not None and not space.is_unfilled(files, tags):
            marker = space.marker(files)
            if marker is not None and _order(marker.version) > _order(_version()):
                newer = f"holds version {marker.version}, which is newer than {_version()}"
                raise ValueError(f"{space.name} {newer}")
            if tag in tags and not ours.items() <= space.files(tag).items():
                differs = f"has a tag {tag} with different content; changes need a new version"
                raise ValueError(f"{space.name} {differs}")
            additions = space.additions(files, marker, replace=replace, yes=yes)
        deleted = files.keys() - ours.keys() - additions
        is_outdated = bool(deleted) or not ours.items() <= files.items()
        if is_outdated:
            space.commit(f"Publish {tag}", folder, deleted)
        is_new = tag not in (tags or ())
        if is_new:
            space.api.create_tag(space.name, repo_type="space", tag=tag)
    overwritten = additions & ours.keys()
    changes = {"created": tags is None, "updated": is_outdated, "tagged": is_new, "unchanged": True}
    change: Any = next(name for name, has_changed in changes.items() if has_changed)
    kept = tuple(sorted(additions - overwritten))
    address = f"{space.api.endpoint}/spaces/{space.name}"
    return Space(address, change, kept, tuple(sorted(overwritten)))


@contextmanager
def _errors_of_hub() -> Iterator[None]:
    """Turn errors of the client for the Hub into an OSError that names the Hub."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined] # of its HTTP client

    try:
        yield
    except HTTPError as error:
        raise OSError(f"the Hub, {constants.ENDPOINT}: {error}") from error


class _Space(NamedTuple):
    """A Space on the Hub."""

    api: Any
    name: str

    def commit(self, message: str, folder: Path, deleted: set[str]) -> None:
        """Write the bundle and delete files: all in one commit, or nothing."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        # `upload_folder` would make several commits of a folder if the first one fails.
        changes: list[Any] = [CommitOperationAdd(p.name, p) for p in sorted(folder.iterdir())]
        changes += [CommitOperationDelete(name) for name in sorted(deleted)]
        self.api.create_commit(self.name, changes, repo_type="space", commit_message=message)

    def create(self, *, private: bool) -> None:
        """Create the Space.

        Raises:
            ValueError: it exists already, but this token cannot see it.
        """
        from huggingface_hub.errors import HfHubHTTPError

        try:
            self.api.create_repo(self.name, repo_type="space", space_sdk="static", private=private)
        except HfHubHTTPError as error:
            if error.response.status_code != 409:
                raise
            raise ValueError(
                f"a Space {self.name} already exists, which this token cannot see; it needs the "
                "right to read and write it"
            ) from error

    def is_unfilled(self, files: Mapping[str, str], tags: set[str]) -> bool:
        """Return whether the Space holds only files that the Hub puts into a new one.

        Such a Space remains if publishing is interrupted after creating it. The card of a new Space
        has a front matter and, at most, a reference to the manual of the Hub.
        """
        if tags or files.keys() - _TEMPLATE:
            return False
        return _CARD not in files or bool(_NEW_CARD.fullmatch(self._content(_CARD)))

    def additions(
        self, files: Mapping[str, str], marker: Marker | None, *, replace: bool, yes: bool
    ) -> set[str]:
        """Return the files that someone has added to one of our Spaces, if they must be kept.

        Raises:
            ValueError: the Space is not ours, or deleting files has not been confirmed.
        """
        is_ours = marker is not None and marker.space == self.name
        foreign = set(files) - ({MARKER_FILE, *marker.files} if marker and is_ours else set())
        listed = ", ".join(sorted(foreign))
        if replace and foreign and not yes:
            raise ValueError(f"{self.name}: --replace would delete {listed}; confirm with --yes")
        if foreign and not (replace or is_ours):
            raise ValueError(
                f"{self.name} is a Space that metric-commons did not create: it has {listed}; "
                "choose another namespace, or delete them with --replace"
            )
        return set() if replace else foreign

    def tags(self) -> set[str] | None:
        """Return the tags of the Space; None if it does not exist."""
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            refs = self.api.list_repo_refs(self.name, repo_type="space")
        except RepositoryNotFoundError:
            return None
        return {tag.name for tag in refs.tags}

    def files(self, revision: str) -> dict[str, str]:
        """Return the files of the Space, with the git ids of their contents."""
        tree = self.api.list_repo_tree(
            self.name, repo_type="space", revision=revision, recursive=True
        )
        blobs = {entry.path: entry.blob_id for entry in tree if hasattr(entry, "blob_id")}
        blobs.pop(_ATTRIBUTES, None)
        return blobs

    def marker(self, files: Mapping[str, str]) -> Marker | None:
        """Return the marker of the Space; None if the Space is not ours."""
        return Marker.from_json(self._content(MARKER_FILE)) if MARKER_FILE in files else None

    def _content(self, name: str) -> bytes:
        """Return the content of a file of the Space."""
        with TemporaryDirectory() as cache:
            path = self.api.hf_hub_download(
                self.name, name, repo_type="space", revision="main", cache_dir=cache
            )
            return Path(path).read_bytes()


def _order(version: str) -> Any:
    """Return a key that orders versions; one that no release could have comes first."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version)
    except InvalidVersion:
        return Version("0.dev0")


def _version() -> str:
    """Return the version to publish, which must not equal the version of `evaluate`.

    Without a revision, evaluate X.Y.Z loads the tag vX.Y.Z of a Space if there is one, and the
    latest files otherwise.
    """
    version = metadata.version(PACKAGE)
    if version == metadata.version("evaluate"):
        raise ValueError(
            f"version {version} is also that of evaluate, which would then always load this tag; "
            "choose the next version"
        )
    return version
