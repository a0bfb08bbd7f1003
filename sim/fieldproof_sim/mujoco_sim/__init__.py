"""The embedded default: worlds and robots in MuJoCo."""

from fieldproof_sim.mujoco_sim._simulator import MujocoSimulator

__all__ = ["MujocoSimulator"]
