"""The wheel and the source distribution: their metadata, their page, and an installation."""

import os
import re
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from tests.spec import METRICS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Source"]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)]+)\)")
SUPPORTED = [
    version.rpartition(" ")[2]
    for version in PROJECT["classifiers"]
    if re.search(r"Python :: 3\.\d+$", version)
]


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder with the wheel and the source distribution of this tree."""
    hatchling = pytest.importorskip("hatchling.build", reason="hatchling is not installed")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="hatch-fancy-pypi-readme is missing")
    folder = tmp_path_factory.mktemp("dist")
    before = Path.cwd()
    os.chdir(ROOT)  # where a frontend calls the functions of a build system
    try:
        hatchling.build_wheel(str(folder))
        hatchling.build_sdist(str(folder))
    finally:
        os.chdir(before)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def source(dist):
    (path,) = dist.glob("*.tar.gz")
    return path


@pytest.fixture(scope="module", params=["wheel", "source"])
def metadata(request, wheel, source):
    name = f"metric_commons-{PROJECT['version']}"
    if request.param == "wheel":
        with zipfile.ZipFile(wheel) as archive:
            text = archive.read(f"{name}.dist-info/METADATA").decode()
    else:
        with tarfile.open(source) as archive:
            text = archive.extractfile(f"{name}/PKG-INFO").read().decode()
    return message_from_string(text)


@pytest.mark.long
def test_the_addresses_of_the_project_are_in_the_metadata(metadata):
    addresses = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL"))

    assert addresses == PROJECT["urls"]
    assert {"Homepage", "Documentation", "Changelog", "Source", "Issues"} <= addresses.keys()
    for address in addresses.values():
        assert address.startswith(REPOSITORY)
        _, _, path = address.partition("/blob/main/")
        assert not path or (ROOT / path).is_file()


def test_indices_that_the_release_action_knows_take_the_metadata(metadata):
    assert metadata["Metadata-Version"] == "2.4"


def test_the_page_of_the_package_is_the_readme_with_absolute_links(metadata):
    page, readme = metadata.get_payload(), (ROOT / "README.md").read_text("utf-8")
    targets = LINK.findall(page)

    assert metadata["Description-Content-Type"] == "text/markdown"
    assert len(targets) == len(LINK.findall(readme)) > 40
    for target in targets:
        assert target.startswith(("https://", "#")), target
        kind, found, path = re.sub(f"^{REPOSITORY}/", "", target).partition(
            f"/v{PROJECT['version']}/"
        )
        if target.startswith(REPOSITORY):
            assert found, target
            assert (ROOT / path.partition("#")[0]).exists(), target
            assert kind == ("raw" if path.endswith(".png") else "blob"), target
    assert re.sub(rf"{REPOSITORY}/\w+/v{PROJECT['version']}/", "", page).strip() == readme.strip()
    assert '<img src="' not in page.replace('<img src="https://', "")


def test_the_wheel_has_the_package_and_its_modules(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    for metric in METRICS:
        assert f"metric_commons/metrics/{metric}/{metric}.py" in names
    package = ROOT / "shared" / "metric_commons"
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(package.parent).as_posix() in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"metric_commons"}


def test_the_release_is_of_this_repository_and_attested():
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    publish = jobs["publish"]
    step = publish["steps"][-1]

    assert step["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert step["with"]["attestations"] is True
    assert publish["permissions"] == {"id-token": "write"}  # trusted publishing; no token
    assert "password" not in step["with"]
    assert any("project.urls" in step.get("name", "") for step in jobs["build"]["steps"])


def test_the_workflow_installs_the_package_on_the_oldest_and_the_newest_python():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]

    for job in ("test", "package"):
        assert jobs[job]["strategy"]["matrix"]["python"] == [SUPPORTED[0], SUPPORTED[-1]]
    assert PROJECT["requires-python"] == f">={SUPPORTED[0]}"
