"""Packs of scenarios: a folder with a manifest, installed from a folder or an archive."""

from fieldproof.driving.loading import MANIFEST
from fieldproof.driving.packs._archive import SUFFIXES, unpack
from fieldproof.driving.packs._error import PackError
from fieldproof.driving.packs._hashes import pack_hashes, write_hashes
from fieldproof.driving.packs._pack import (
    Pack,
    find_packs,
    install_pack,
    named_pack,
    read_pack,
    verify_pack,
)

__all__ = [
    "MANIFEST",
    "SUFFIXES",
    "Pack",
    "PackError",
    "find_packs",
    "install_pack",
    "named_pack",
    "pack_hashes",
    "read_pack",
    "unpack",
    "verify_pack",
    "write_hashes",
]
