"""A small navigation stack for a differential-drive vehicle: four ROS 2 nodes, four processes.

`planner_server` keeps a costmap and publishes paths, `controller_server` follows them,
`bt_navigator` offers the NavigateToPose action and `link_monitor` watches the ground link.
The modules whose names start with an underscore hold the algorithms (numpy, no ROS) and the
loop that drives a node from the clock topic.
"""
