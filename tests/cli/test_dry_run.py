import json
import textwrap

import pytest

SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: everything
world: dock_yard
time: { mode: lockstep, seed: 7 }
vehicles:
  - { name: ugv1, manifest: ugv_ref, spawn: { frame: spawn_dock } }
timeline:
  - { name: drive, action: navigate_to_pose, vehicle: ugv1, goal: { x: 10.0, y: -1.5, yaw: -1.5707963267948966 } }
  - { name: crate, action: spawn_object, model: crate, shape: box, size: [0.6, 0.6, 0.5],
      pose: { x: 10.0, y: 0.8 }, within_s: 3m,
      when: { vehicle: ugv1, metric: distance_to, target: { frame: spawn_dock }, condition: value > 0.5 } }
  - { name: slow, action: actuator.limit, vehicle: ugv1, max_linear_mps: 0.3, duration_s: 2s,
      when: { topic: odom, field: twist.twist.linear.x, condition: value > 1 }, at: 1s }
  - { name: deny, action: gps.deny, vehicle: ugv1, at: 5s, every: 10s, count: 2, duration_s: 4s }
  - { name: tighten, action: param.set, vehicle: ugv1, node: link_monitor, parameter: loss_timeout_s, value: 5.0, after: [drive, crate] }
  - { name: stop, action: container.kill, vehicle: ugv1, after: tighten, at: 500ms }
assertions:
  - { name: there, type: reach_pose, vehicle: ugv1, target: { frame: yard_goal }, on_fail: abort }
  - { name: alive, type: topic_rate, vehicle: ugv1, topic: scan, min_hz: 8, after_s: 2s }
  - { name: slow_enough, type: topic_value, vehicle: ugv1, topic: odom, field: twist.twist.linear.x,
      condition: value < 2, after_s: 1s, within_s: 20s }
outputs: { record: true, topics: [scan, /clock] }
budget: { timeout_s: 90s }
"""

EXPECTED = """\
scenario  everything
world     dock_yard
time      lockstep, ticks of 50 ms, seed 7; the timeline counts simulation time
outputs   records /clock, /ugv1/scan
budget    90 s for the timeline
vehicle   ugv1, a ugv_ref at x 10 m, y 3 m, yaw -1.5708 rad in the world, topics under /ugv1

timeline
  drive    navigate_to_pose  ugv1  at 0 s
      goal       x 4.5 m, y 0 m, yaw 0 rad in map
      world      x 10 m, y -1.5 m, yaw -1.5708 rad in the world
      timeout_s  300
  crate    spawn_object            once value > 0.5 (ugv1's distance_to x 10 m, y 3 m in the world), by 180 s or never
      model  crate
      pose   x 10 m, y 0.8 m, yaw 0 rad in the world
      shape  type box, size [0.6, 0.6, 0.5]
  slow     actuator.limit    ugv1  1 s after value > 1 (/ugv1/odom twist.twist.linear.x)
      route       command
      topic       /ugv1/cmd_vel
      fault       limit
      parameters  max_linear_mps 0.3
      duration_s  2
  deny     gps.deny          ugv1  at 5 s, then every 10 s, 2 times
      route       gps
      topic       /ugv1/gps/fix
      fault       deny
      duration_s  4
  tighten  param.set         ugv1  once drive and crate have ended ok
      node       /ugv1/link_monitor
      parameter  loss_timeout_s
      value      5.0
      timeout_s  30
  stop     container.kill    ugv1  0.5 s after tighten has ended ok
      signal  SIGKILL

assertions
  there        reach_pose   ugv1
      target       x 10 m, y -1 m, yaw -1.5708 rad in the world
      tolerance_m  0.5
      on_fail      abort
  alive        topic_rate   /ugv1/scan  from 2 s to the end
      min_hz    8
      window_s  5
  slow_enough  topic_value  /ugv1/odom  from 1 s to 20 s
      field      twist.twist.linear.x
      condition  value < 2
      mode       always
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "everything.yaml"
    path.write_text(SCENARIO)
    return path


def blocks(text):
    """The lines, each with the details below it; these come in the order of the types' keys."""
    found = []
    for line in text.splitlines():
        if line.startswith(" " * 6):
            found[-1][1].add(" ".join(line.split()))
        else:
            found.append((line, set()))
    return found


def test_details_are_aligned_below_their_entry(call, scenario):
    lines = call("run", "--dry-run", scenario).stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("  tighten"))
    assert lines[start + 1 : start + 5] == [
        "      node       /ugv1/link_monitor",
        "      parameter  loss_timeout_s",
        "      value      5.0",
        "      timeout_s  30",
    ]


def test_a_dry_run_shows_each_entry_with_its_trigger_and_what_its_event_resolved(call, scenario):
    result = call("run", "--dry-run", scenario)
    assert result.exit_code == 0, result.stderr
    assert blocks(result.stdout) == blocks(EXPECTED)


def test_steps_windows_and_collectors_are_shown_in_words(call, scenario):
    scenario.write_text(
        SCENARIO.replace(
            "outputs:",
            """\
  - { name: order, type: sequence, vehicle: ugv1, steps: [
      { action: drive, event: started },
      { name: moves, topic: odom, field: twist.twist.linear.x, condition: value > 1 },
      { action: drive },
      { assertion: there } ] }
kpis:
  - { name: driven, type: path, vehicle: ugv1, action: drive }
outputs:""",
        )
    )
    result = call("run", "--dry-run", scenario)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    order = next(place for place, line in enumerate(lines) if line.startswith("  order "))
    assert lines[order + 1 : order + 5] == [
        "      steps  drive has started",
        "             moves: value > 1 (/ugv1/odom twist.twist.linear.x)",
        "             drive has ended ok",
        "             there has passed",
    ]
    assert lines[-2:] == ["collectors", "  driven  path  ugv1  while drive runs"]


def test_a_dry_run_gives_the_two_plans_as_data(call, scenario):
    data = json.loads(call("run", "--dry-run", "--json", scenario).stdout)
    assert set(data) == {"execution", "evaluation"}
    assert data["execution"]["timeline"][0]["resolved"]["goal"]["frame_id"] == "map"
    assert data["evaluation"]["assertions"][1]["topic"] == "/ugv1/scan"


def test_a_dry_run_starts_and_writes_nothing(call, scenario, tmp_path):
    assert call("run", "--dry-run", scenario, "--runs", tmp_path / "runs").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["everything.yaml"]


def test_a_dry_run_of_an_invalid_scenario_says_what_is_wrong(call, scenario):
    scenario.write_text(SCENARIO.replace("spawn_dock", "spawn_dok"))
    result = call("run", "--dry-run", scenario)
    assert result.exit_code == 2
    assert f"{scenario}:7:" in result.stderr
    assert "unknown frame 'spawn_dok'" in result.stderr
    assert "nothing was started" in result.stderr


def test_other_modes_and_a_scenario_without_a_timeline_are_shown_too(call, tmp_path):
    path = tmp_path / "bare.yaml"
    path.write_text(
        textwrap.dedent("""\
            apiVersion: fieldproof.dev/v0alpha1
            kind: Scenario
            name: bare
            world: dock_yard
            time: { mode: sim, rtf: 2.5 }
            vehicles: [{ name: ugv1, manifest: ugv_ref, spawn: { x: 1.0, y: 2.0 } }]
            """)
    )
    lines = call("run", "--dry-run", path).stdout.splitlines()
    assert lines[2:] == [
        "time      sim, rtf 2.5, seed 0; the timeline counts the wall clock",
        "outputs   no recording",
        "budget    600 s for the timeline",
        "vehicle   ugv1, a ugv_ref at x 1 m, y 2 m, yaw 0 rad in the world, topics under /ugv1",
    ]
