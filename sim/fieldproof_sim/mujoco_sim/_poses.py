from collections.abc import Iterable
from typing import Any

from fieldproof_sim._geometry import Pose, rotate
from fieldproof_sim.mujoco_sim._records import ModelRecord


class Poses:
    """Ground truth: where every model is and how it moves, world frame, in order of the records.

    Velocities are those of the model's frame in m/s along the world's axes, and its turn rate in
    rad/s about the world's z.
    """

    def __init__(self) -> None:
        self._records: tuple[ModelRecord, ...] = ()

    def set_records(self, records: Iterable[ModelRecord]) -> None:
        """Take the models of the world; bind again afterwards."""
        self._records = tuple(records)

    def bind(self, model: Any, data: Any) -> None:
        """Find the free joints of what can move."""
        self._qpos, self._qvel = data.qpos, data.qvel
        self._fixed: dict[str, dict[str, Any]] = {}
        self._free: dict[str, tuple[int, int, Pose | None]] = {}
        for record in self._records:
            if not record.bodies:
                self._fixed[record.name] = _row(record.name, record.pose, (0.0,) * 6)
                continue
            joint = model.body(record.bodies[0]).jntadr[0]
            back = None if record.offsets[0] == Pose() else record.offsets[0].inverse()
            self._free[record.name] = (
                int(model.jnt_qposadr[joint]),
                int(model.jnt_dofadr[joint]),
                back,
            )

    def read(self) -> dict[str, Any]:
        """Return all models."""
        return {
            "models": [
                self._fixed.get(record.name) or self._moving(record.name)
                for record in self._records
            ]
        }

    def _moving(self, name: str) -> dict[str, Any]:
        at, speeds_at, back = self._free[name]
        x, y, z, qw, qx, qy, qz = self._qpos[at : at + 7].tolist()
        vx, vy, vz, wx, wy, wz = self._qvel[speeds_at : speeds_at + 6].tolist()
        pose = Pose((x, y, z), (qw, qx, qy, qz))
        wx, wy, wz = rotate(pose.rotation, (wx, wy, wz))  # MuJoCo turns free bodies in their frame
        if back is not None:
            rx, ry, rz = rotate(pose.rotation, back.position)
            vx, vy, vz = vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx
            pose = pose.compose(back)
        return _row(name, pose, (vx, vy, vz, wx, wy, wz))


def _row(name: str, pose: Pose, velocity: tuple[float, ...]) -> dict[str, Any]:
    x, y, z = pose.position
    qw, qx, qy, qz = pose.rotation
    vx, vy, vz, _, _, wz = velocity
    return {
        "name": name,
        "x": x, "y": y, "z": z, "qx": qx, "qy": qy, "qz": qz, "qw": qw,
        "vx": vx, "vy": vy, "vz": vz, "wz": wz,
    }  # fmt: skip
