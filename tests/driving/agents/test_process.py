"""An agent in its process: what it may answer, and what becomes of one that does not do its part."""

import json
import os
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.driving.agents import (
    AgentError,
    AgentFault,
    AgentProcess,
    Limits,
    checked_action,
    find_agent,
)
from tests.driving.processes import FORKS_TWICE, is_running

QUICK = Limits(load_s=20, reset_s=20, act_s=20, episode_s=60)


def agent_file(folder, body, name="agent.py"):
    path = folder / name
    path.write_text(textwrap.dedent(body), "utf-8")
    return path


def acting(folder, body, name="agent.py"):
    """An agent whose `act` has a body."""
    indented = textwrap.indent(textwrap.dedent(body), " " * 8)
    text = f"import os, sys, time\n\n\nclass Agent:\n    def act(self, seen):\n{indented}\n"
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def started(path, folder, limits=QUICK, mark=None):
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return AgentProcess(
        find_agent(str(path)), limits=limits, folder=work, host=os.environ, mark=mark or {}
    )


def fault_of(path, folder, limits=QUICK, observation=None):
    with started(path, folder, limits) as agent, pytest.raises(AgentFault) as caught:
        used(agent, observation or {"t": 0.0})
    return caught.value


def used(agent, observation, times=1):
    agent.load()
    agent.reset({"id": "s"})
    for _ in range(times):
        agent.act(observation)


def test_a_trace_names_files_without_their_place_and_no_frame_but_the_agent_s(tmp_path):
    path = acting(
        tmp_path,
        """
        import json
        try:
            json.loads("{")
        except ValueError as error:
            raise RuntimeError("late") from error
        """,
    )
    fault = fault_of(path, tmp_path)
    files = [line for line in fault.trace.splitlines() if line.startswith("  File ")]
    assert [one.split(", line")[0].strip() for one in files] == [
        'File "agent.py"',
        'File "json/__init__.py"',
        'File "json/decoder.py"',
        'File "json/decoder.py"',
        'File "agent.py"',
    ]
    assert 'raise RuntimeError("late") from error' in fault.trace


def test_the_trace_of_what_cannot_be_read_names_the_file_without_its_place(tmp_path):
    (tmp_path / "agent.py").write_text("class Agent:\n    def\n", "utf-8")
    fault = fault_of(tmp_path / "agent.py", tmp_path)
    assert 'File "agent.py", line 2' in fault.trace
    assert str(tmp_path) not in fault.trace


def test_an_agent_is_reset_and_asked_and_answers(tmp_path):
    path = agent_file(
        tmp_path,
        """
        class Agent:
            version = "7"
            def reset(self, scenario):
                self.id = scenario["id"]
            def act(self, seen):
                return {"id": self.id, "t": seen["t"]}
            def predict(self, sample):
                return [sample["a"]]
        """,
    )
    with started(path, tmp_path) as agent:
        agent.load()
        agent.reset({"id": "s"})
        assert agent.act({"t": 1.5}) == {"id": "s", "t": 1.5}
        assert agent.predict({"a": 3}) == [3]
        assert agent.about == {"file": str(path), "version": "7"}


@pytest.mark.parametrize(
    ("attribute", "body"),
    [
        ("", "class Agent:\n    def act(self, seen): return {}"),
        ("", "class Mine:\n    def act(self, seen): return {}"),
        ("", "class A:\n    def act(self, seen): return {}\ndef make_agent(): return A()"),
        (":B", "class Agent: pass\nclass B:\n    def act(self, seen): return {}"),
    ],
    ids=["Agent", "only_class", "make_agent", "named"],
)
def test_an_agent_s_class_is_found_in_its_file(tmp_path, attribute, body):
    path = agent_file(tmp_path, body)
    with started(f"{path}{attribute}", tmp_path) as agent:
        agent.load()
        assert agent.act({}) == {}


def test_modules_beside_an_agent_can_be_imported_and_arrays_be_answered(tmp_path):
    agent_file(tmp_path, "import numpy as np\nsteer = np.float32(0.5)\n", "helper.py")
    path = agent_file(
        tmp_path,
        """
        import numpy as np
        import helper
        class Agent:
            def act(self, seen):
                return {"steer": helper.steer, "row": np.arange(3)}
        """,
    )
    with started(path, tmp_path) as agent:
        agent.load()
        assert agent.act({}) == {"steer": 0.5, "row": [0, 1, 2]}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("gone.py", "gone.py: there is no such agent"),
        ("rule_basd", r"unknown agent 'rule_basd' \(nearest: rule_based\)"),
    ],
)
def test_an_agent_that_is_not_there_is_named(name, problem):
    points = [EntryPoint("rule_based", "some.module:Agent", "fieldproof.agents")]
    with pytest.raises(AgentError, match=problem):
        find_agent(name, points)


def test_an_agent_is_found_by_the_name_of_an_entry_point():
    points = [EntryPoint("mine", "package.module:Agent", "fieldproof.agents")]
    found = find_agent("mine", points)
    assert (found.module, found.attribute, found.file_sha256) == ("package.module", "Agent", None)


TABLE = [
    ("raises", "raise ValueError('no map')", "raised", "act raised ValueError: no map"),
    ("exits", "sys.exit(3)", "raised", "act raised SystemExit: 3"),
    ("recursion", "return self.act(seen)", "raised", "act raised RecursionError: "),
    ("dies", "os._exit(7)", "died", "it ended itself with exit code 7 during act"),
    ("killed", "os.kill(os.getpid(), 9)", "died", "it was ended by SIGKILL during act"),
    ("no_json", "return {'a': object()}", "raised", "act raised TypeError: object is no JSON data"),
    ("huge_int", "return {'throttle': 10**400}", "nonsense", "act answered an integer of 1329 bits, larger than any number"),
    ("digits", "return {'throttle': 10**5000}", "raised", "act raised ValueError: Exceeds the limit (4300 digits)"),
    ("more_digits", "sys.set_int_max_str_digits(0)\nreturn {'throttle': 10**5000}", "nonsense", "act answered something that is no JSON"),
    ("surrogate", "return {'\\ud800': 1}", "nonsense", "act answered text that is no Unicode: \\xd800"),
    ("surrogate_raised", "raise ValueError('\\ud800\\x1b[31m')", "raised", "act raised ValueError: \\xd800"),
    ("deep", "x = []\nfor _ in range(300): x = [x]\nreturn x", "nonsense", "act answered lists or mappings more than 100 deep in each other"),
    ("forged", "os.write(3, b'{\"fault\": []}\\n')", "raised", "act raised what it does not name"),
    ("memory", "return bytearray(3 << 30)", "memory", "act needed more memory than the 512 MB it may have"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "kind", "text"), [pytest.param(*row[1:], id=row[0]) for row in TABLE]
)
def test_an_agent_that_does_not_do_its_part_is_a_fault_with_a_reason(tmp_path, body, kind, text):
    limits = Limits(load_s=20, reset_s=20, act_s=20, memory_mb=512)
    fault = fault_of(acting(tmp_path, body), tmp_path, limits)
    assert fault.kind == kind
    assert fault.text.startswith(text)


def test_what_an_agent_says_of_itself_is_printable_and_short(tmp_path):
    version = r'"v\x1b[31m\n" + "x" * 3_000_000'
    path = agent_file(
        tmp_path,
        f"class Agent:\n    version = {version}\n    def act(self, seen): return {{}}\n",
    )
    with started(path, tmp_path) as agent:
        agent.load()
        assert agent.about["version"].startswith(r"v\x0axxx")
        assert len(agent.about["version"]) < 250


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ("version = '\\ud800'", r"load answered text that is no Unicode: \\xd800"),
        ("os.write(3, b'{\"value\": 5}\\n')", "load answered something else than file and"),
    ],
    ids=["surrogate", "forged"],
)
def test_an_agent_that_says_nonsense_of_itself_is_a_fault(tmp_path, load, said):
    body = f"import os\nclass Agent:\n    {load}\n    def act(self, seen): return {{}}\n"
    path = agent_file(tmp_path, body)
    with started(path, tmp_path) as agent, pytest.raises(AgentFault, match=said) as caught:
        agent.load()
    assert caught.value.kind == "nonsense"


@pytest.mark.parametrize("body", ["while True: pass", "time.sleep(600)"], ids=["busy", "asleep"])
def test_an_agent_that_hangs_is_ended_at_its_limit(tmp_path, body):
    limits = Limits(load_s=20, reset_s=20, act_s=0.2)
    fault = fault_of(acting(tmp_path, body), tmp_path, limits)
    assert (fault.kind, fault.text) == ("hung", "act gave no answer within 0.2 s")


def test_an_agent_that_does_not_read_its_observation_hangs_too(tmp_path):
    path = agent_file(
        tmp_path,
        """
        import os, time
        class Agent:
            def act(self, seen):
                time.sleep(600)
        """,
    )
    limits = Limits(load_s=20, reset_s=20, act_s=0.2)
    fault = fault_of(path, tmp_path, limits, {"grid": [0] * 1_000_000})
    assert fault.kind == "hung"


def test_all_answers_together_have_a_limit_as_well(tmp_path):
    path = acting(tmp_path, "time.sleep(0.05)\nreturn {}")
    limits = Limits(load_s=20, reset_s=20, act_s=5, episode_s=0.2)
    text = r"took 0.2 s in all, which is as long as it may"
    with started(path, tmp_path, limits) as agent, pytest.raises(AgentFault, match=text):
        used(agent, {}, times=100)


def test_an_answer_that_is_too_long_is_refused(tmp_path):
    path = acting(tmp_path, "return 'x' * 100_000")
    limits = Limits(load_s=20, reset_s=20, act_s=20, answer_bytes=50_000)
    assert fault_of(path, tmp_path, limits).text == "act answered more than 50000 bytes"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("raise RuntimeError('early')", "it cannot be loaded: load raised RuntimeError: early"),
        ("x = 1", "it cannot be loaded: load raised AttributeError: agent has no class Agent and"),
        (
            "class Agent: pass",
            "it cannot be loaded: load raised TypeError: Agent has neither act nor",
        ),
        ("def f(:", "it cannot be loaded: load raised SyntaxError: "),
    ],
    ids=["raises", "nothing", "no_act", "syntax"],
)
def test_an_agent_that_cannot_be_loaded_is_a_fault_with_a_reason(tmp_path, text, problem):
    fault = fault_of(agent_file(tmp_path, text), tmp_path)
    assert fault.kind == "load"
    assert fault.text.startswith(problem)


def test_what_an_agent_prints_is_kept_and_does_not_stand_between_its_answers(tmp_path):
    path = acting(tmp_path, "print('hello ' * 50_000)\nos.write(1, b'raw')\nreturn {'steer': 0.0}")
    with started(path, tmp_path) as agent:
        agent.load()
        assert agent.act({}) == {"steer": 0.0}
        assert agent.act({}) == {"steer": 0.0}
    assert agent.log.startswith(b"hello hello")
    assert len(agent.log) <= 1 << 16


def test_an_agent_may_not_write_large_files(tmp_path):
    path = acting(tmp_path, "open('big', 'wb').write(bytes(4 << 20))\nreturn {}")
    limits = Limits(load_s=20, reset_s=20, act_s=20, file_mb=1)
    fault = fault_of(path, tmp_path, limits)
    assert fault.text.startswith("act raised OSError: [Errno 27] File too large")
    assert (tmp_path / "work" / "big").stat().st_size <= 1 << 20


def test_nothing_of_the_environment_reaches_an_agent_but_a_short_list(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    path = acting(tmp_path, "return sorted(os.environ)")
    with started(path, tmp_path, mark={"MARK": "m"}) as agent:
        agent.load()
        names = set(agent.act({}))
    assert "SECRET" not in names
    assert {"MARK", "PYTHONHASHSEED", "TMPDIR"} <= names


def wait_until_gone(pid):
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline
        os.sched_yield()


def test_an_agent_s_children_end_with_it(tmp_path):
    body = "import subprocess\nreturn subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid"
    with started(acting(tmp_path, body), tmp_path) as agent:
        agent.load()
        child = agent.act({})
        assert is_running(child)
    wait_until_gone(child)


LAST_DEEDS = {
    "answers": "",
    "dies": "os._exit(3)",
    "ends_its_group": "os.killpg(0, 9)",
    "stops_its_parent": "os.kill(os.getppid(), 19)",
    "asks_its_parent_to_end": "os.kill(os.getppid(), 15)",
}


@pytest.mark.parametrize("deed", LAST_DEEDS.values(), ids=list(LAST_DEEDS))
def test_what_an_agent_started_ends_with_it_whatever_it_left_behind(tmp_path, deed):
    """Its parent, its session and its environment are gone: nothing names it any more."""
    path = acting(tmp_path, f"print(away(), flush=True)\n{deed}\nreturn {{}}")
    path.write_text(f"{path.read_text('utf-8')}\n{FORKS_TWICE}", "utf-8")
    with started(path, tmp_path) as agent, suppress(AgentFault):
        agent.load()
        agent.act({})
    assert not is_running(int(agent.log))


def test_what_an_agent_left_behind_ends_with_whoever_started_the_agent(tmp_path):
    path = acting(tmp_path, "return away()")
    path.write_text(f"{path.read_text('utf-8')}\n{FORKS_TWICE}", "utf-8")
    with subprocess.Popen(
        [
            sys.executable,
            "-B",
            str(parent_file(tmp_path, path, "print(agent.act({}), flush=True)")),
        ],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as parent:
        left = int(parent.stdout.readline())
        assert is_running(left)
        parent.kill()
    wait_until_gone(left)


def test_nothing_else_of_whoever_started_an_agent_ends_with_it(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as other:
        with started(acting(tmp_path, "return {}"), tmp_path) as agent:
            agent.load()
        assert other.poll() is None
        other.stdin.close()


def parent_file(folder, agent, last):
    """A program that starts an agent, loads it and does one thing more."""
    script = folder / "parent.py"
    text = f"""
import os, pathlib
from fieldproof.driving.agents import AgentProcess, Limits, find_agent
agent = AgentProcess(find_agent({str(agent)!r}), limits=Limits(), folder=pathlib.Path({str(folder)!r}), host=os.environ, mark={{}})
agent.load()
{last}
input()
"""
    script.write_text(text, "utf-8")
    return script


def test_an_agent_ends_with_whoever_started_it(tmp_path):
    """A parent that is killed cannot clean up: the agent's process goes by itself."""
    path = acting(tmp_path, "return os.getpid()")
    with subprocess.Popen(
        [
            sys.executable,
            "-B",
            str(parent_file(tmp_path, path, "print(agent.act({}), flush=True)")),
        ],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as parent:
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
    wait_until_gone(child)


# task, what is answered, what is said of it
ANSWERS = [
    ("driving", None, "act answered nothing, not a mapping of commands"),
    ("driving", [1, 2], "act answered a list, not a mapping of commands"),
    ("driving", "full speed", "act answered 'full speed', not a mapping of commands"),
    ("driving", {"stear": 0.1}, "act answered the unknown command 'stear' (nearest: steer)"),
    ("driving", {"steer": float("nan")}, "act answered nan for steer, not a finite number"),
    ("driving", {"brake": float("inf")}, "act answered inf for brake, not a finite number"),
    ("driving", {"throttle": "1"}, "act answered '1' for throttle, not a number"),
    ("driving", {"throttle": True}, "act answered true for throttle, not a number"),
    ("drone", {"linear_velocity": [1, 2]}, "act answered a list for linear_velocity, not x, y and z"),
    ("drone", {"linear_velocity": {"w": 1}}, "act answered linear_velocity with other keys than"),
    ("driving", {"throttle": 10**400}, "act answered an integer of 1329 bits, larger than any number for throttle"),
    ("driving", {"\ud800": 1}, "act answered the unknown command '\\ud800'"),
    ("drone", {"vx": None}, "act answered nothing for vx, not a number"),
    ("drone", {"steer": 0.0}, "act answered the unknown command 'steer'"),
    ("manipulator", {"joint_positions": [0.0]}, "act answered 1 numbers for joint_positions of 6 joints"),
    ("manipulator", {"joint_velocities": 3}, "act answered 3 for joint_velocities of 6 joints"),
    ("manipulator", {"gripper": float("-inf")}, "act answered -inf for gripper, not a finite number"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "answer", "said"), ANSWERS)
def test_an_answer_that_is_no_action_is_refused_with_a_reason(task, answer, said):
    with pytest.raises(AgentFault) as caught:
        checked_action(answer, task, joints=6)
    assert caught.value.kind == "nonsense"
    assert caught.value.text.startswith(said)


def test_a_number_beyond_its_range_is_brought_to_its_end_and_named():
    action, clamped = checked_action({"steer": -3, "throttle": 0.5, "brake": 2}, "driving")
    assert action == {"steer": -1.0, "throttle": 0.5, "brake": 1.0}
    assert clamped == ("steer", "brake")


@pytest.mark.parametrize(
    ("task", "answer", "action"),
    [
        ("driving", {}, {"steer": 0.0, "throttle": 0.0, "brake": 0.0}),
        ("driving", {"throttle": 1}, {"steer": 0.0, "throttle": 1.0, "brake": 0.0}),
        ("drone", {"vx": 1}, {"vx": 1.0}),
        ("manipulator", {}, {}),
    ],
)
def test_the_commands_of_a_car_that_an_agent_does_not_give_are_zero(task, answer, action):
    assert checked_action(answer, task, joints=6) == (action, ())


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(st.characters(), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ["steer", "throttle", "brake", "vx", "linear_velocity", "target_speed", "joint_positions"]


@settings(max_examples=300, deadline=None)
@given(
    answer=json_values | st.dictionaries(st.sampled_from(KEYS), json_values, max_size=3),
    task=st.sampled_from(["driving", "drone", "manipulator"]),
)
def test_whatever_is_answered_is_an_action_of_finite_numbers_or_refused(answer, task):
    try:
        action, _ = checked_action(answer, task, joints=2)
    except AgentFault as fault:
        assert fault.kind == "nonsense"  # noqa: PT017 - either way is right, and told apart
    else:
        json.dumps(action, allow_nan=False)
        assert set(action) <= set(KEYS) | {"vy", "vz", "yaw_rate", "joint_velocities", "gripper"}
