import math
from dataclasses import dataclass
from typing import Self

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Pose:
    """A frame's position in metres and orientation as a unit quaternion (w, x, y, z)."""

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)

    @classmethod
    def from_rpy(cls, position: Vector, rpy_rad: Vector) -> Self:
        """Build a pose from fixed-axis roll, pitch and yaw, as SDF and URDF write them."""
        return cls(position, quaternion_from_rpy(*rpy_rad))

    def compose(self, inner: "Pose") -> "Pose":
        """Return `inner`, given in this frame, in this frame's parent."""
        x, y, z = rotate(self.rotation, inner.position)
        px, py, pz = self.position
        return Pose((px + x, py + y, pz + z), multiply(self.rotation, inner.rotation))

    def inverse(self) -> "Pose":
        """Return the parent's frame as seen from this one."""
        w, x, y, z = self.rotation
        back = (w, -x, -y, -z)
        px, py, pz = rotate(back, self.position)
        return Pose((-px, -py, -pz), back)


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Convert fixed-axis roll, pitch, yaw in radians to (w, x, y, z)."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def yaw_of(rotation: Quaternion) -> float:
    """Return the heading of a (w, x, y, z) quaternion, in radians in [-pi, pi]."""
    w, x, y, z = rotation
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def multiply(left: Quaternion, right: Quaternion) -> Quaternion:
    """Return the Hamilton product of two (w, x, y, z) quaternions."""
    aw, ax, ay, az = left
    bw, bx, by, bz = right
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def rotate(rotation: Quaternion, vector: Vector) -> Vector:
    """Rotate a vector by a unit quaternion (w, x, y, z)."""
    w, x, y, z = rotation
    vx, vy, vz = vector
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )
