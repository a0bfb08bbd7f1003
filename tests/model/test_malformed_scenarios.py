"""One fault in an otherwise sound scenario each: where it is found, and what is said of it."""

import itertools

import pytest

from fieldproof.model import ScenarioError

from .kinds import SCENARIO, load

# id, what is replaced in the sound scenario, by what, and the problems without "s.yaml:"
TABLE = [
    (
        "unknown_key_at_the_root",
        "world: yard",
        "world: yard\nwrld: yard",
        ["5:1: wrld: unknown key (nearest: world)"],
    ),
    ("missing_world", "world: yard\n", "", ["1:1: world: is missing"]),
    (
        "missing_version",
        "apiVersion: fieldproof.dev/v0alpha1\n",
        "",
        ["1:1: apiVersion: is missing"],
    ),
    (
        "other_version",
        "v0alpha1",
        "v1",
        ["1:13: apiVersion: must be fieldproof.dev/v0alpha1 (got 'fieldproof.dev/v1')"],
    ),
    ("other_kind", "kind: Scenario", "kind: World", ["2:7: kind: must be Scenario (got 'World')"]),
    (
        "name_in_capitals",
        "name: example",
        "name: Example",
        [
            "3:7: name: must be lower-case letters, digits and underscores, a letter first, at most 63 (got 'Example')"
        ],
    ),
    (
        "name_is_a_number",
        "name: example",
        "name: 12",
        ["3:7: name: must be text (got 12) (quote it)"],
    ),
    (
        "unknown_mode",
        "mode: lockstep",
        "mode: lockstp",
        [
            "5:15: time.mode: must be one of lockstep, sim, realtime (got 'lockstp') (nearest: lockstep)"
        ],
    ),
    (
        "seed_is_text",
        "seed: 1",
        'seed: "1"',
        ["5:31: time.seed: must be a whole number (got '1') (write it without quotes)"],
    ),
    ("seed_is_negative", "seed: 1", "seed: -1", ["5:31: time.seed: must be zero or more (got -1)"]),
    (
        "seed_is_a_fraction",
        "seed: 1",
        "seed: 1.5",
        ["5:31: time.seed: must be a whole number (got 1.5)"],
    ),
    ("rtf_in_lockstep", "seed: 1", "rtf: 2.0", ["5:30: time.rtf: only goes with mode: sim"]),
    (
        "rtf_is_zero",
        "mode: lockstep, seed: 1",
        "mode: sim, rtf: 0",
        ["5:25: time.rtf: must be positive (got 0)"],
    ),
    (
        "tick_outside_lockstep",
        "mode: lockstep, seed: 1",
        "mode: sim, tick_s: 20ms",
        ["5:28: time.tick_s: only goes with mode: lockstep"],
    ),
    (
        "no_vehicles",
        "vehicles:\n  - { name: ugv1, manifest: ugv_ref, spawn: { x: 1.0, y: 2.0 } }",
        "vehicles: []",
        ["6:11: vehicles: must have at least 1 item (got 0)"],
    ),
    (
        "vehicle_without_spawn",
        ", spawn: { x: 1.0, y: 2.0 }",
        "",
        ["7:5: vehicles[0].spawn: is missing"],
    ),
    ("spawn_lacks_y", "x: 1.0, y: 2.0", "x: 1.0", ["7:45: vehicles[0].spawn.y: is missing"]),
    (
        "spawn_of_two_forms",
        "x: 1.0, y: 2.0",
        "x: 1.0, frame: gate",
        ["7:50: vehicles[0].spawn.x: does not go with frame"],
    ),
    (
        "spawn_of_no_form",
        "x: 1.0, y: 2.0",
        "z: 1.0",
        ["7:45: vehicles[0].spawn: must name a frame, or give x and y"],
    ),
    (
        "coordinate_is_text",
        "y: 2.0",
        'y: "2.0"',
        ["7:58: vehicles[0].spawn.y: must be a number (got '2.0') (write it without quotes)"],
    ),
    (
        "coordinate_is_not_a_number",
        "y: 2.0",
        "y: .nan",
        ["7:58: vehicles[0].spawn.y: must be a finite number (got nan)"],
    ),
    (
        "coordinate_is_out_of_range",
        "y: 2.0",
        "y: 1e9",
        ["7:58: vehicles[0].spawn.y: must be at most 1e+06 (got 1000000000.0)"],
    ),
    (
        "namespace_in_capitals",
        "manifest:",
        "namespace: Fleet/ugv1, manifest:",
        [
            "7:30: vehicles[0].namespace: must be lower-case words joined by slashes, such as ugv1 or fleet/ugv1 (got 'Fleet/ugv1')"
        ],
    ),
    (
        "vehicle_named_twice",
        "timeline:",
        "  - { name: ugv1, manifest: ugv_ref, spawn: { x: 5, y: 5 } }\ntimeline:",
        ["8:13: vehicles[1].name: 'ugv1' is taken by vehicles[0]"],
    ),
    (
        "namespace_given_twice",
        "manifest: ugv_ref, spawn: { x: 1.0, y: 2.0 } }",
        "namespace: a, manifest: ugv_ref, spawn: { x: 1, y: 2 } }\n  - { name: ugv2, namespace: a, manifest: ugv_ref, spawn: { x: 5, y: 5 } }",
        ["8:30: vehicles[1].namespace: 'a' is taken by vehicles[0]"],
    ),
    (
        "timeline_is_a_mapping",
        "timeline:\n  - name: first",
        "timeline:\n    name: first",
        ["13:3: is no YAML: did not find expected key (while parsing a block mapping at 1:1)"],
    ),
    (
        "entry_is_text",
        "timeline:\n",
        "timeline:\n  - drive\n",
        ["9:5: timeline[0]: must be a mapping (got 'drive')"],
    ),
    (
        "entry_without_action",
        "    action: drive\n",
        "",
        ["9:5: timeline[0].action: is missing (known: drive, say)"],
    ),
    (
        "unknown_action",
        "action: drive",
        "action: drve",
        ["11:13: timeline[0].action: unknown action 'drve' (nearest: drive)"],
    ),
    (
        "action_is_a_list",
        "action: drive",
        "action: [drive]",
        ["11:13: timeline[0].action: must be text (got a list)"],
    ),
    (
        "unknown_parameter",
        "goal: { frame: gate }",
        "gaol: { frame: gate }",
        [
            "9:5: timeline[0].goal: is missing",
            "12:5: timeline[0].gaol: unknown key (nearest: goal)",
        ],
    ),
    (
        "unknown_vehicle",
        "vehicle: ugv1\n    action",
        "vehicle: ugv2\n    action",
        ["10:14: timeline[0].vehicle: unknown vehicle 'ugv2' (nearest: ugv1)"],
    ),
    (
        "duration_like_a_clock",
        "at: 2s",
        "at: 1:30",
        [
            "15:9: timeline[1].at: must be a duration (got '1:30') (write 30s, 250ms, 1m, 2h, or a number of seconds)"
        ],
    ),
    (
        "duration_without_unit",
        "at: 2s",
        "at: '2'",
        ["15:9: timeline[1].at: has no unit (got '2') (2s, or a number, unquoted)"],
    ),
    (
        "duration_of_another_unit",
        "at: 2s",
        "at: 2 hours",
        [
            "15:9: timeline[1].at: must be a duration (got '2 hours') (write 30s, 250ms, 1m, 2h, or a number of seconds)"
        ],
    ),
    (
        "duration_is_negative",
        "at: 2s",
        "at: -2s",
        ["15:9: timeline[1].at: must not be negative (got -2s)"],
    ),
    (
        "duration_is_endless",
        "at: 2s",
        "at: .inf",
        ["15:9: timeline[1].at: must be a finite duration (got inf)"],
    ),
    (
        "duration_too_long",
        "at: 2s",
        "at: 2000h",
        ["15:9: timeline[1].at: must be at most 1000h (got '2000h')"],
    ),
    (
        "duration_is_a_flag",
        "at: 2s",
        "at: on\n    count: true",
        [
            "15:9: timeline[1].at: must be a duration (got 'on') (write 30s, 250ms, 1m, 2h, or a number of seconds)",
            "16:12: timeline[1].count: must be a whole number (got true)",
        ],
    ),
    (
        "after_unknown",
        "after: first",
        "after: frist",
        ["14:12: timeline[1].after: unknown timeline entry 'frist' (nearest: first)"],
    ),
    (
        "after_itself",
        "after: first",
        "after: second",
        ["14:12: timeline[1].after[0]: names the entry itself"],
    ),
    ("after_nothing", "after: first", "after: []", ["14:12: timeline[1].after: names no entry"]),
    (
        "after_twice",
        "after: first",
        "after: [first, first]",
        ["14:20: timeline[1].after[1]: names first twice"],
    ),
    (
        "after_repeated",
        "name: first\n",
        "name: first\n    every: 5s\n",
        ["15:12: timeline[1].after: 'first' is repeated (a repeated entry has no one end)"],
    ),
    (
        "after_in_a_circle",
        "name: first\n",
        "name: first\n    after: second\n",
        ["10:12: timeline[0].after: waits for itself: first after second after first"],
    ),
    (
        "after_with_when",
        "after: first",
        "after: first\n    when: { metric: sim_time, condition: value > 1 }",
        ["15:11: timeline[1].when: does not go with after (an entry has one trigger)"],
    ),
    (
        "within_without_when",
        "at: 2s",
        "within_s: 2s",
        ["15:15: timeline[1].within_s: only goes with when"],
    ),
    (
        "count_without_every",
        "at: 2s",
        "count: 2",
        ["15:12: timeline[1].count: only goes with every"],
    ),
    (
        "until_without_every",
        "at: 2s",
        "until_s: 2s",
        ["15:14: timeline[1].until_s: only goes with every"],
    ),
    (
        "every_is_zero",
        "at: 2s",
        "every: 0s",
        ["15:12: timeline[1].every: must be positive (got 0s)"],
    ),
    (
        "every_with_when",
        "after: first",
        "every: 2s\n    when: { metric: sim_time, condition: value > 1 }",
        ["14:12: timeline[1].every: does not go with when"],
    ),
    (
        "count_is_zero",
        "at: 2s",
        "every: 1s\n    count: 0",
        ["16:12: timeline[1].count: must be at least 1 (got 0)"],
    ),
    (
        "until_before_at",
        "after: first\n    at: 2s",
        "at: 2s\n    every: 1s\n    until_s: 1s",
        ["16:14: timeline[1].until_s: ends before the entry starts (at is 2s)"],
    ),
    (
        "label_taken",
        "name: second",
        "name: first",
        [
            "13:11: timeline[1].name: 'first' is taken by timeline[0]",
            "14:12: timeline[1].after[0]: names the entry itself",
        ],
    ),
    (
        "when_without_signal",
        "after: first",
        "when: { condition: value > 1 }",
        ["14:11: timeline[1].when: must have a topic and a field, or a metric"],
    ),
    (
        "when_without_field",
        "after: first",
        "when: { topic: odom, condition: value > 1 }",
        ["14:11: timeline[1].when.field: is missing (the field of the topic's messages)"],
    ),
    (
        "when_of_two_forms",
        "after: first",
        "when: { metric: x, topic: odom, field: a, condition: value > 1 }",
        [
            "14:31: timeline[1].when.topic: does not go with metric",
            "14:44: timeline[1].when.field: does not go with metric",
        ],
    ),
    (
        "when_without_condition",
        "after: first",
        "when: { metric: sim_time }",
        ["14:11: timeline[1].when.condition: is missing"],
    ),
    (
        "when_of_unknown_metric",
        "after: first",
        "when: { metric: simtime, condition: value > 1 }",
        [
            "14:21: timeline[1].when.metric: must be one of sim_time, rtf, x, y, z, yaw, distance_to (got 'simtime') (nearest: sim_time)"
        ],
    ),
    (
        "distance_without_target",
        "after: first",
        "when: { metric: distance_to, vehicle: ugv1, condition: value > 1 }",
        ["14:11: timeline[1].when.target: is missing (what distance_to measures to)"],
    ),
    (
        "target_without_distance",
        "after: first",
        "when: { metric: x, target: { frame: gate }, condition: value > 1 }",
        ["14:32: timeline[1].when.target: only goes with metric: distance_to"],
    ),
    (
        "vehicle_of_the_clock",
        "after: first",
        "when: { metric: rtf, vehicle: ugv1, condition: value > 1 }",
        ["14:35: timeline[1].when.vehicle: does not go with metric: rtf"],
    ),
    (
        "condition_of_an_unknown_name",
        "after: first",
        "when: { metric: rtf, condition: value > 1 and valu < 2 }",
        ["14:51: timeline[1].when.condition: unknown name valu (nearest: value)"],
    ),
    (
        "condition_with_an_attribute",
        "after: first",
        "when: { metric: rtf, condition: 'value.real > 1' }",
        ["14:37: timeline[1].when.condition: attributes cannot be read"],
    ),
    (
        "condition_is_unfinished",
        "after: first",
        "when: { metric: rtf, condition: value > }",
        ["14:44: timeline[1].when.condition: is no condition: invalid syntax"],
    ),
    (
        "condition_is_a_flag",
        "after: first",
        "when: { metric: rtf, condition: true }",
        ["14:37: timeline[1].when.condition: must be text (got true) (quote it)"],
    ),
    (
        "field_is_no_path",
        "after: first",
        "when: { topic: odom, field: a..b, condition: value > 1 }",
        [
            "14:33: timeline[1].when.field: must be a field path such as twist.twist.linear.x or ranges[0] (got 'a..b')"
        ],
    ),
    (
        "topic_is_no_name",
        "after: first",
        "when: { topic: /odom/, field: a, condition: value > 1 }",
        [
            "14:20: timeline[1].when.topic: must be a ROS name such as odom, gps/fix or /clock (got '/odom/')"
        ],
    ),
    (
        "text_is_a_number",
        "text: hello",
        "text: 5",
        ["17:11: timeline[1].text: must be text (got 5) (quote it)"],
    ),
    (
        "alternatives_all_refused",
        "text: hello",
        "text: hello\n    value: [1]",
        ["18:12: timeline[1].value: must be true or false, a number or text (got a list)"],
    ),
    (
        "unknown_assertion_type",
        "type: reach",
        "type: reech",
        ["20:11: assertions[0].type: unknown type 'reech' (nearest: reach)"],
    ),
    (
        "assertion_without_type",
        "    type: reach\n",
        "",
        ["19:5: assertions[0].type: is missing (known: holds, reach, within)"],
    ),
    (
        "assertion_without_name",
        "  - name: arrives\n    type",
        "  - type",
        ["19:5: assertions[0].name: is missing"],
    ),
    (
        "assertion_of_unknown_vehicle",
        "vehicle: ugv1\n    target",
        "vehicle: ugv\n    target",
        ["21:14: assertions[0].vehicle: unknown vehicle 'ugv' (nearest: ugv1)"],
    ),
    (
        "assertion_of_unknown_entry",
        "    action: first\n    max_s",
        "    action: frist\n    max_s",
        ["25:13: assertions[1].action: unknown timeline entry 'frist' (nearest: first)"],
    ),
    (
        "unknown_reaction",
        "max_s: 1m",
        "max_s: 1m\n    on_fail: stop",
        ["27:14: assertions[1].on_fail: must be one of continue, abort (got 'stop')"],
    ),
    ("limit_is_missing", "    max_s: 1m\n", "", ["23:5: assertions[1].max_s: is missing"]),
    (
        "limit_is_zero",
        "max_s: 1m",
        "max_s: 0",
        ["26:12: assertions[1].max_s: must be positive (got 0s)"],
    ),
    (
        "assertion_named_twice",
        "name: soon",
        "name: arrives",
        ["23:11: assertions[1].name: 'arrives' is taken by assertions[0]"],
    ),
    (
        "kpi_named_as_an_assertion",
        "name: mission",
        "name: soon",
        ["28:13: kpis[0].name: 'soon' is taken by assertions[1]"],
    ),
    (
        "unknown_kpi_type",
        "type: span",
        "type: spam",
        ["28:28: kpis[0].type: unknown type 'spam' (nearest: span)"],
    ),
    (
        "kpi_of_unknown_entry",
        "start: first",
        "end: frist",
        ["28:39: kpis[0].end: unknown timeline entry 'frist' (nearest: first)"],
    ),
    (
        "flag_is_text",
        "record: true",
        "record: yes",
        ["29:20: outputs.record: must be true or false (got 'yes') (write true or false)"],
    ),
    (
        "topics_is_text",
        "topics: [odom]",
        "topics: odom",
        ["29:34: outputs.topics: must be a list (got 'odom')"],
    ),
    (
        "topic_with_a_space",
        "topics: [odom]",
        "topics: [odom, 'a b']",
        [
            "29:41: outputs.topics[1]: must be a ROS name such as odom, gps/fix or /clock (got 'a b')"
        ],
    ),
    (
        "budget_is_a_number",
        "budget: { timeout_s: 5m }",
        "budget: 300",
        ["30:9: budget: must be a mapping (got 300)"],
    ),
    (
        "section_is_empty",
        "outputs: { record: true, topics: [odom] }",
        "outputs:",
        ["29:9: outputs: must be a mapping (got nothing)"],
    ),
    (
        "later_section",
        "budget:",
        "network: {}\nbudget:",
        ["30:1: network: radio links are not part of this version (remove the section)"],
    ),
    (
        "key_twice",
        "world: yard",
        "world: yard\nworld: yard",
        ["5:1: the key 'world' is given twice (first at 4:1)"],
    ),
    (
        "tab_as_indentation",
        "    text: hello",
        "\ttext: hello",
        ["17:1: a tab stands where only spaces may (indent with spaces)"],
    ),
    (
        "merge_key",
        "budget: {",
        "budget: { <<: *b,",
        [
            "30:11: budget: merges another mapping (merge keys left YAML with 1.2; repeat the keys, or anchor the whole value)",
            "30:15: budget: unknown anchor 'b'",
        ],
    ),
    ("unknown_anchor", "world: yard", "world: *yard", ["4:8: world: unknown anchor 'yard'"]),
    (
        "nul_character",
        "hello",
        "hel\u0000lo",
        ["17:14: holds the character U+0000 (write text in UTF-8 without control characters)"],
    ),
    ("second_document", "kpis:\n", "---\nkpis:\n", ["27:1: starts a second document; one is read"]),
    (
        "unclosed_list",
        "topics: [odom] }",
        "topics: [odom }",
        [
            "29:40: is no YAML: did not find expected ',' or ']' (while parsing a flow sequence at 29:34)"
        ],
    ),
    (
        "foreign_tag",
        "text: hello",
        "text: !!python/name:os.system hello",
        [
            "17:11: timeline[1].text: has the tag 'tag:yaml.org,2002:python/name:os.system', and only those of plain data are read"
        ],
    ),
    (
        "number_out_of_range",
        "seed: 1",
        "seed: 99999999999999999999",
        ["5:31: time.seed: is a whole number out of range (got '99999999999999999999')"],
    ),
]

GOAL = "    goal: { frame: gate }\n"
# id, what is replaced in the sound scenario and by what, and the problems without "s.yaml:"
MIXED = [
    (
        "circle_through_entries_with_faults",
        [
            (GOAL, "    gaol: { frame: gate }\n    after: second\n"),
            ("at: 2s", "at: 2 parsecs"),
        ],
        [
            "9:5: timeline[0].goal: is missing",
            "12:5: timeline[0].gaol: unknown key (nearest: goal)",
            "13:12: timeline[0].after: waits for itself: first after second after first",
            "16:9: timeline[1].at: must be a duration (got '2 parsecs') (write 30s, 250ms, 1m, 2h, or a number of seconds)",
        ],
    ),
    (
        "triggers_of_an_unknown_action",
        [("action: say", "action: sya"), ("after: first", "after: frist"), ("at: 2s", "at: -2s")],
        [
            "14:12: timeline[1].after: unknown timeline entry 'frist' (nearest: first)",
            "15:9: timeline[1].at: must not be negative (got -2s)",
            "16:13: timeline[1].action: unknown action 'sya' (nearest: say)",
        ],
    ),
    (
        "misspelt_key_that_another_key_needs",
        [
            ("    after: first\n", ""),
            ("text: hello", "text: hello\n    whn: { metric: x, condition: 1 }\n    within_s: 3s"),
        ],
        ["17:5: timeline[1].whn: unknown key (nearest: when)"],
    ),
    (
        "name_that_is_misspelt_and_named",
        [
            ("name: second\n    after: first", "nmae: second\n    after: frist"),
            (GOAL, f"{GOAL}    after: second\n"),
        ],
        [
            "14:5: timeline[1].nmae: unknown key (nearest: name)",
            "15:12: timeline[1].after: unknown timeline entry 'frist' (nearest: first)",
        ],
    ),
    (
        "label_that_depends_on_a_fault",
        [
            ("name: second\n    after: first\n    at: 2s", "at: 2x"),
            ("action: first", "action: say@3s"),
            ("start: first", "start: frst"),
        ],
        [
            "13:9: timeline[1].at: must be a duration (got '2x') (write 30s, 250ms, 1m, 2h, or a number of seconds)",
            "26:41: kpis[0].start: unknown timeline entry 'frst' (nearest: first)",
        ],
    ),
    (
        "vehicle_whose_name_is_misspelt",
        [("- { name: ugv1", "- { nmae: ugv1"), ("target: {", "traget: {")],
        [
            "7:5: vehicles[0].name: is missing",
            "7:7: vehicles[0].nmae: unknown key (nearest: name)",
            "19:5: assertions[0].target: is missing",
            "22:5: assertions[0].traget: unknown key (nearest: target)",
        ],
    ),
    (
        "key_given_twice_and_an_unknown_entry",
        [
            ("name: ugv1, manifest", "name: ugv1, name: b, manifest"),
            ("after: first", "after: frst"),
        ],
        [
            "7:19: vehicles[0]: the key 'name' is given twice (first at 7:7)",
            "14:12: timeline[1].after: unknown timeline entry 'frst' (nearest: first)",
        ],
    ),
    (
        "scalar_that_is_none_and_a_wrong_unit",
        [("text: hello", "text: !!int hello"), ("max_s: 1m", "max_s: 1 parsec")],
        [
            "17:11: timeline[1].text: is tagged !!int and is none (got 'hello')",
            "26:12: assertions[1].max_s: must be a duration (got '1 parsec') (write 30s, 250ms, 1m, 2h, or a number of seconds)",
        ],
    ),
    (
        "condition_with_two_sources_and_an_unknown_key",
        [
            ("    after: first\n", ""),
            (
                "text: hello",
                "text: hello\n    when: { metric: rtf, labl: 2, topic: odom, condition: value > 1 }",
            ),
        ],
        [
            "17:26: timeline[1].when.labl: unknown key (known: condition, field, message_type, metric, target, topic, vehicle)",
            "17:42: timeline[1].when.topic: does not go with metric",
        ],
    ),
    (
        "vehicles_that_entries_with_unknown_keys_name",
        [
            ("vehicle: ugv1\n    action", "vehicle: ugv2\n    action"),
            (GOAL, "    goal: { frame: gate, yaww: 2 }\n"),
            ("reach\n    vehicle: ugv1", "reach\n    vehicle: ugv3\n    tolerance: x"),
        ],
        [
            "10:14: timeline[0].vehicle: unknown vehicle 'ugv2' (nearest: ugv1)",
            "12:26: timeline[0].goal.yaww: unknown key (nearest: yaw)",
            "21:14: assertions[0].vehicle: unknown vehicle 'ugv3' (nearest: ugv1)",
            "22:5: assertions[0].tolerance: unknown key (nearest: tolerance_m)",
        ],
    ),
    (
        "settings_with_an_unknown_key_that_do_not_agree",
        [("seed: 1", "sead: 1, rtf: 2"), ("record: true", "recrod: 1")],
        [
            "5:25: time.sead: unknown key (nearest: seed)",
            "5:39: time.rtf: only goes with mode: sim",
            "29:12: outputs.recrod: unknown key (nearest: record)",
        ],
    ),
    (
        "value_of_another_kind_and_an_absent_one",
        [("    target: { frame: gate }", "    tolerance_m: near")],
        [
            "19:5: assertions[0].target: is missing",
            "22:18: assertions[0].tolerance_m: must be a number (got 'near')",
        ],
    ),
]


def test_the_scenario_that_the_table_spoils_is_sound():
    scenario, source = load()
    assert [entry.label for entry in scenario.timeline] == ["first", "second"]
    assert source.locate(("timeline", 1, "at")) == (15, 9)


@pytest.mark.parametrize(
    ("old", "new", "expected"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_a_fault_is_reported_where_it_stands(old, new, expected):
    assert SCENARIO.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        load(SCENARIO.replace(old, new))
    assert [str(problem) for problem in caught.value.problems] == [f"s.yaml:{e}" for e in expected]


@pytest.mark.parametrize(
    ("spoils", "expected"), [row[1:] for row in MIXED], ids=[r[0] for r in MIXED]
)
def test_faults_of_different_stages_are_reported_together_and_once(spoils, expected):
    text = SCENARIO
    for old, new in spoils:
        assert text.count(old) == 1
        text = text.replace(old, new)
    with pytest.raises(ScenarioError) as caught:
        load(text)
    assert [str(problem) for problem in caught.value.problems] == [f"s.yaml:{e}" for e in expected]


STRUCTURAL = {
    "kpi_named_as_an_assertion",
    "merge_key",
    "timeline_is_a_mapping",
    "entry_is_text",
    "no_vehicles",
    "namespace_given_twice",
}
"""They leave nothing, or something else, at the places of other faults."""


def sections_of(problems):
    return {one.path[0] for one in problems}


def found(text):
    with pytest.raises(ScenarioError) as caught:
        load(text)
    return caught.value.problems


def test_faults_of_different_sections_hide_none_of_each_other():
    rows = {row[0]: row[1:] for row in TABLE if row[0] not in STRUCTURAL}
    alone = {name: found(SCENARIO.replace(old, new)) for name, (old, new, _) in rows.items()}
    pairs = 0
    for one, two in itertools.combinations(rows, 2):
        if not all(each.path for each in (*alone[one], *alone[two])):
            continue  # what is wrong with the text as such may end the reading
        if sections_of(alone[one]) & sections_of(alone[two]):
            continue
        (old, new, _), (other, others, _) = rows[one], rows[two]
        text = SCENARIO.replace(old, new)
        if text.count(other) != 1:
            continue
        both = {(each.path, each.what) for each in found(text.replace(other, others))}
        missed = {(each.path, each.what) for each in (*alone[one], *alone[two])} - both
        assert (one, two, missed) == (one, two, set())
        pairs += 1
    assert pairs > 1000


def test_every_fault_of_a_scenario_is_reported_at_once_in_the_order_of_the_file():
    text = SCENARIO
    spoils = [("seed: 1", "sead: 1"), ("action: drive", "action: drve"), ("max_s: 1m", "max_s: x")]
    for old, new in spoils:
        text = text.replace(old, new)
    with pytest.raises(ScenarioError) as caught:
        load(text)
    paths = [(p.line, ".".join(map(str, p.path))) for p in caught.value.problems]
    assert paths == [(5, "time.sead"), (11, "timeline.0.action"), (26, "assertions.1.max_s")]


def test_an_entry_that_cannot_be_read_still_counts_for_those_that_name_it():
    with pytest.raises(ScenarioError) as caught:
        load(SCENARIO.replace("goal: { frame: gate }", "goal: nowhere"))
    assert len(caught.value.problems) == 1
