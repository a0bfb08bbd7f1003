from dataclasses import dataclass

from fieldproof_sim._geometry import Pose


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """Where a model is in the MuJoCo specification.

    A static model has `geoms` of the world body and its `pose` for good; any other has free
    `bodies`, the first of which carries the model's frame, and `offsets`, their poses in it.
    `stand_m` is the height of the model's frame above the ground it stands on; `windy` are the
    bodies that the wind pushes; `is_ground` says that the world's other models stand on it.
    """

    name: str
    pose: Pose
    geoms: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    offsets: tuple[Pose, ...] = ()
    is_vehicle: bool = False
    is_ground: bool = False
    stand_m: float = 0.0
    windy: tuple[str, ...] = ()
