"""An agent that floors it, whoever is in the way: for seeing a suite fail."""

version = "1.0.0"


class Agent:
    """Never brakes and never steers."""

    version = version

    def reset(self, scenario):
        """Remember what is driven."""
        self.task = scenario["task_type"]

    def act(self, observation):
        """Return full speed ahead."""
        if self.task == "drone":
            return {"target_speed": 20.0}
        if self.task == "manipulator":
            joints = len(observation["robot"]["joint_positions"])
            return {"joint_velocities": [1.5] * joints}
        return {"throttle": 1.0, "brake": 0.0, "steer": 0.0}
