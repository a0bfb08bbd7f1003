"""The environment that every process of a run gets."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

# What a process may take over from whoever started the engine; everything else would let the host
# into the run (a stray ROS_DOMAIN_ID, a locale, a PYTHONPATH).
_INHERITED = ("HOME", "PATH", "TMPDIR", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def dds_profile() -> Path:
    """The DDS profile that keeps acknowledgements prompt (a file of this package)."""
    return Path(str(resources.files("fieldproof.backends") / "dds_profile.xml"))


def ros_environment(
    host: Mapping[str, str], *, domain: int, python_path: list[str], mark: Mapping[str, str]
) -> dict[str, str]:
    """The environment of a run's ROS 2 processes.

    Args:
        host: the engine's own environment; only a short list of it is passed on.
        domain: the run's ROS domain.
        python_path: folders put on the processes' import path, first to last.
        mark: variables by which a later start recognises what this run left behind.
    """
    environment = {name: host[name] for name in _INHERITED if name in host}
    environment |= {
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": ":".join(python_path),
        "PYTHONUNBUFFERED": "1",
        "RCUTILS_COLORIZED_OUTPUT": "0",
        "RMW_IMPLEMENTATION": "rmw_fastrtps_cpp",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT",  # the profile says it
        "ROS_DOMAIN_ID": str(domain),
        "FASTRTPS_DEFAULT_PROFILES_FILE": str(dds_profile()),
    }
    return environment | dict(mark)
