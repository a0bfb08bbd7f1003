"""Unpacking a pack's archive: plain files and folders inside it, nothing else, and not too much."""

import errno
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from fieldproof.driving.packs._error import PackError

MOST_FILES = 20_000
LARGEST_FILE = 8 << 20
LARGEST_PACK = 256 << 20
MOST_FOLDERS = 16
"""Folders in each other; a manifest names files at most seven deep, in a folder around them."""
LONGEST_NAME = 200
"""Bytes of one part of a path; file systems take 255, some fewer."""
_SHOWN = 100
_CHUNK = 1 << 16
SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz")

_DAMAGES = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ArithmeticError,
    ValueError,
    RuntimeError,
)
"""What the libraries raise on archives that are damaged, encrypted or packed in unknown ways."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A member of an archive.

    Attributes:
        name: as the archive says it.
        is_folder: whether it is a folder.
        oddity: what it is if it is neither a file nor a folder, else empty.
        size: bytes that it claims to have.
        member: what the library opens it by.
    """

    name: str
    is_folder: bool
    oddity: str
    size: int
    member: zipfile.ZipInfo | tarfile.TarInfo


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip or tar archive into a folder that exists and is empty.

    Raises:
        PackError: It is no archive, or holds what leads out of the folder, a link, a device, a name
            twice, or too much; something may have been unpacked into the folder by then.
        OSError: A file cannot be read or written.
    """
    if not archive.name.endswith(SUFFIXES):
        raise PackError(f"{archive} is no archive: give a folder or one of {', '.join(SUFFIXES)}")
    try:
        if archive.name.endswith(".zip"):
            _unpack_zip(archive, folder)
        else:
            _unpack_tar(archive, folder)
    except _DAMAGES as error:
        raise _unreadable(archive, error) from None
    except OSError as error:
        # of damage: gzip and bz2 without a number, a seek to nowhere as an invalid argument
        if error.errno not in {None, errno.EINVAL}:
            raise
        raise _unreadable(archive, error) from None


def _unreadable(archive: Path, error: Exception) -> PackError:
    return PackError(f"{archive} is no readable archive: {error}")


def _unpack_zip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        entries = [_zip_entry(one) for one in opened.infolist()]
        for entry, path in _checked(archive, folder, entries):
            assert isinstance(entry.member, zipfile.ZipInfo)
            with opened.open(entry.member) as stream:
                _copy(archive, entry, stream, path)


def _unpack_tar(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as opened:
        entries = [_tar_entry(one) for one in _members(archive, opened)]
        for entry, path in _checked(archive, folder, entries):
            assert isinstance(entry.member, tarfile.TarInfo)
            stream = opened.extractfile(entry.member)
            assert stream is not None
            with stream:
                _copy(archive, entry, stream, path)


def _members(archive: Path, opened: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, member in enumerate(opened, 1):
        if count > MOST_FILES:
            raise PackError(f"{archive} holds more than {MOST_FILES} files")
        yield member


def _zip_entry(info: zipfile.ZipInfo) -> _Entry:
    mode = info.external_attr >> 16
    kind = stat.S_IFMT(mode)
    odd = kind not in {0, stat.S_IFREG, stat.S_IFDIR}
    oddity = ("a link" if stat.S_ISLNK(mode) else "no plain file") if odd else ""
    return _Entry(info.filename, info.is_dir(), oddity, info.file_size, info)


def _tar_entry(info: tarfile.TarInfo) -> _Entry:
    oddity = ""
    if info.issym() or info.islnk():
        oddity = "a link"
    elif not (info.isreg() or info.isdir()):
        oddity = "no plain file"
    return _Entry(info.name, info.isdir(), oddity, info.size, info)


def _checked(archive: Path, folder: Path, entries: list[_Entry]) -> Iterator[tuple[_Entry, Path]]:
    """Yield each file with where it goes, once all of them are known to be sound."""
    if len(entries) > MOST_FILES:
        raise PackError(f"{archive} holds more than {MOST_FILES} files")
    if sum(entry.size for entry in entries) > LARGEST_PACK:
        raise PackError(f"{archive} is larger than {LARGEST_PACK >> 20} MiB unpacked")
    placed: dict[Path, _Entry] = {}
    for entry in entries:
        if entry.oddity:
            raise PackError(f"{archive} holds {entry.oddity}, {_short(entry.name)}: refused")
        if entry.is_folder and not PurePosixPath(entry.name).parts:
            continue  # the folder itself, as tar writes it
        path = _inside(archive, folder, entry.name)
        if entry.is_folder:
            continue
        if path in placed:
            raise PackError(f"{archive} holds {_short(entry.name)} twice")
        placed[path] = entry
    for path, entry in placed.items():
        if any(parent in placed for parent in path.parents):
            raise PackError(f"{archive} holds {_short(entry.name)} under a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        yield entry, path


def _inside(archive: Path, folder: Path, name: str) -> Path:
    """Return where a member goes, which is inside the folder."""
    pure = PurePosixPath(name)
    odd = "\\" in name or "\0" in name or ":" in name
    if odd or pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise PackError(f"{archive} holds {_short(name)}, which leads out of it: refused")
    if len(pure.parts) > MOST_FOLDERS + 1:
        what = f"is more than {MOST_FOLDERS} folders deep"
        raise PackError(f"{archive} holds {_short(name)}, which {what}: refused")
    if any(len(part.encode(errors="surrogateescape")) > LONGEST_NAME for part in pure.parts):
        what = f"has a name of more than {LONGEST_NAME} bytes"
        raise PackError(f"{archive} holds {_short(name)}, which {what}: refused")
    return folder.joinpath(*pure.parts)


def _copy(archive: Path, entry: _Entry, stream: IO[bytes], path: Path) -> None:
    """Write a member, and no more of it than a file may have, whatever it claims."""
    written = 0
    with path.open("xb") as target:
        while chunk := stream.read(_CHUNK):
            written += len(chunk)
            if written > LARGEST_FILE:
                raise PackError(
                    f"{archive}: {_short(entry.name)} is larger than {LARGEST_FILE >> 20} MiB"
                )
            target.write(chunk)


def _short(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…")
