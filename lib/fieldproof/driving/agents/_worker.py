"""The program in which an agent runs: started by its path, with nothing of Fieldproof around it.

It limits itself, loads the agent, and answers one JSON line for each that it is sent. What the
agent prints goes to standard error.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import inspect
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

_PR_SET_PDEATHSIG = 1
_TRACE_LINES = 20
_FACTORY = "make_agent"
_USUAL = "Agent"


def main() -> None:
    """Serve until the other side closes."""
    config = json.loads(sys.argv[1])
    answers = os.dup(1)
    os.dup2(2, 1)  # what the agent prints must not stand between the answers
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _limit(config)
    agent: Any = None
    for line in requests:
        request = json.loads(line)
        try:
            if request["op"] == "load":
                agent, value = _load(request)
            else:
                value = _call(agent, request)
            answer = {"value": value}
            text = json.dumps(answer, default=_plain)
        except MemoryError:
            agent_memory = {"fault": "memory", "error": "MemoryError", "trace": ""}
            text = json.dumps(agent_memory)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent may raise anything
            text = json.dumps(_described(error))
        _send(answers, text.encode() + b"\n")


def _limit(config: dict[str, Any]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != config["parent"]:
        sys.exit("whoever started this is gone")
    limits = {
        resource.RLIMIT_AS: config["memory_bytes"],
        resource.RLIMIT_CPU: config["cpu_s"],
        resource.RLIMIT_FSIZE: config["file_bytes"],
        resource.RLIMIT_CORE: 0,
    }
    for kind, limit in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (most, most))


def _load(request: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    module = _module(request)
    agent = _factory(module, request["attribute"])()
    if not callable(getattr(agent, "act", None)) and not callable(getattr(agent, "predict", None)):
        raise TypeError(f"{type(agent).__name__} has neither act nor predict")
    needs = request["needs"]
    if needs is not None and not callable(getattr(agent, needs, None)):
        raise TypeError(f"{type(agent).__name__} has no {needs}")
    file = getattr(module, "__file__", None)
    version = getattr(agent, "version", None) or getattr(module, "__version__", None)
    about = {"file": file, "version": None if version is None else str(version)}
    return agent, about


def _module(request: dict[str, Any]) -> ModuleType:
    if request["module"] is not None:
        return importlib.import_module(request["module"])
    path = Path(request["path"])
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("agent", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent"] = module
    spec.loader.exec_module(module)
    return module


def _factory(module: ModuleType, attribute: str | None) -> Callable[[], Any]:
    """Return what makes the agent: what is named, `Agent`, `make_agent`, or the only class."""
    for name in (attribute,) if attribute else (_USUAL, _FACTORY):
        found: Any = getattr(module, name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
    if attribute:
        raise AttributeError(f"{module.__name__} has no {attribute}")
    own = [
        one
        for _, one in inspect.getmembers(module, inspect.isclass)
        if one.__module__ == module.__name__ and (hasattr(one, "act") or hasattr(one, "predict"))
    ]
    if len(own) != 1:
        raise AttributeError(f"{module.__name__} has no class {_USUAL} and no {_FACTORY}")
    return own[0]


def _call(agent: Any, request: dict[str, Any]) -> Any:
    name, argument = request["op"], request["argument"]
    method = getattr(agent, name, None)
    if method is None and name == "reset":
        return None
    if method is None:
        raise AttributeError(f"{type(agent).__name__} has no {name}")
    value = method(argument)
    return None if name == "reset" else value


def _plain(value: Any) -> Any:
    """Return arrays and their scalars as lists and numbers."""
    as_list = getattr(value, "tolist", None)
    if callable(as_list):
        return as_list()
    raise TypeError(f"{type(value).__name__} is no JSON data")


def _described(error: BaseException) -> dict[str, Any]:
    told = traceback.TracebackException.from_exception(error)
    _without_place(told)
    trace = "".join(told.format()).splitlines()[-_TRACE_LINES:]
    text = f"{type(error).__name__}: {error}"
    return {"fault": "raised", "error": text[:1000], "trace": "\n".join(trace)[:4000]}


def _without_place(told: traceback.TracebackException) -> None:
    """Take this program's frames out of a trace, and the folders of files out of their names."""
    waiting = [told]
    while waiting:
        one = waiting.pop()
        one.stack[:] = [frame for frame in one.stack if frame.filename != __file__]
        for frame in one.stack:
            frame.filename = _placeless(frame.filename)
        if isinstance(getattr(one, "filename", None), str):  # of a syntax error
            one.filename = _placeless(one.filename)
        waiting += [
            each
            for each in (one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ()))
            if each is not None
        ]


def _placeless(name: str) -> str:
    """Return a file as seen from where Python found it, or its own name."""
    path = Path(name)
    if not path.is_absolute():
        return name
    folders = [Path(one) for one in sys.path if one and path.is_relative_to(one)]
    nearest = max(folders, key=lambda one: len(one.parts), default=path.parent)
    return str(path.relative_to(nearest))


def _send(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
