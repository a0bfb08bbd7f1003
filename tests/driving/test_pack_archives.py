"""Archives of packs that are odd, deep or long: refused by name, or as good as any other."""

import io
import tarfile
import zipfile

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.packs import PackError, install_pack, read_pack
from tests.driving.test_packs import made


def with_member(folder, form, name):
    """A sound pack with one more member."""
    root, path = made(folder), folder / f"odd.{form}"
    members = {f"mine/{file.relative_to(root)}": file.read_bytes() for file in root.rglob("*.yaml")}
    members[name] = b"x"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for member, data in members.items():
                archive.writestr(member, data)
    else:
        with tarfile.open(path, "w") as archive:
            for member, data in members.items():
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return path


ODD = [
    ("deep", "mine/" + "a/" * 16 + "x", "is more than 16 folders deep"),
    ("too_deep_to_recurse", "a/" * 1500 + "x", "is more than 16 folders deep"),
    ("too_deep_for_a_path", "a/" * 30_000 + "x", "is more than 16 folders deep"),
    ("long", "mine/" + "a" * 201, "has a name of more than 200 bytes"),
    ("long_in_bytes", "mine/" + "ä" * 101, "has a name of more than 200 bytes"),
    ("long_folder", "a" * 300 + "/x", "has a name of more than 200 bytes"),
]


@pytest.mark.parametrize("form", ["zip", "tar"])
@pytest.mark.parametrize(("name", "said"), [pytest.param(*row[1:], id=row[0]) for row in ODD])
def test_what_is_too_deep_or_too_long_is_refused_by_name_and_leaves_nothing(
    tmp_path, form, name, said
):
    archive = with_member(tmp_path, form, name)
    done = CliRunner().invoke(
        main, ["packs", "install", str(archive), "--packs", str(tmp_path / "packs")]
    )
    assert done.exit_code == 2
    assert f"{archive} holds '{name[:50]}" in done.stderr
    assert f"which {said}: refused" in done.stderr
    assert len(done.stderr) < 400 + len(str(archive))
    assert list((tmp_path / "packs").iterdir()) == []


@pytest.mark.parametrize("form", ["w", "w:gz", "w:xz"])
def test_an_archive_of_the_folder_itself_is_installed(tmp_path, form):
    root, path = made(tmp_path), tmp_path / f"mine.tar{form[1:].replace(':', '.')}"
    with tarfile.open(path, form) as archive:
        archive.add(root, ".")
        assert archive.getnames()[0] == "."
    pack = install_pack(path, tmp_path / "packs", sha256=None, replace=False)
    assert pack.digest == read_pack(root).digest


def test_a_file_that_is_called_like_the_folder_itself_is_refused(tmp_path):
    path = with_member(tmp_path, "tar", ".")
    with pytest.raises(PackError, match="which leads out of it: refused"):
        install_pack(path, tmp_path / "packs", sha256=None, replace=False)
