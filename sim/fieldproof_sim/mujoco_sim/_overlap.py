from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.protocol import Code, RequestError

_DEEPEST_M: Final = 0.01


def refuse_overlap(model: Any, data: Any, moved: ModelRecord, vehicles: list[ModelRecord]) -> None:
    """Refuse to put a model into a vehicle, or a vehicle into anything: bodies are solid.

    Contact up to 1 cm deep is let through, which is more than wheels sink into the ground. What
    moves is pushed out of anything else by physics.

    Args:
        model: compiled, with the model in its new place.
        data: its data, with the contacts of this instant.
        moved: what was put there.
        vehicles: all of them.

    Raises:
        RequestError: `refused`, naming both collisions and how deep they are in each other.
    """
    pairs: NDArray[np.int32] = data.contact.geom
    if not len(pairs):
        return
    mine = _geoms(model, moved)
    theirs = ~mine
    if not moved.is_vehicle:
        theirs = np.zeros(model.ngeom, dtype=bool)
        for vehicle in vehicles:
            theirs |= _geoms(model, vehicle)
    first, second = pairs[:, 0], pairs[:, 1]
    concerned = (mine[first] & theirs[second]) | (mine[second] & theirs[first])
    depths = np.where(concerned, -data.contact.dist, 0.0)
    worst = int(np.argmax(depths))
    if depths[worst] <= _DEEPEST_M:
        return
    one, other = (model.geom(int(geom)).name for geom in pairs[worst])
    if not mine[first[worst]]:
        one, other = other, one
    raise RequestError(
        Code.REFUSED,
        f"{moved.name} cannot be there: {one} would be {depths[worst]:.2f} m deep in {other}",
    )


def _geoms(model: Any, record: ModelRecord) -> NDArray[np.bool_]:
    """Return which geoms belong to a model of the world."""
    if not record.bodies:
        found = np.zeros(model.ngeom, dtype=bool)
        found[[model.geom(name).id for name in record.geoms]] = True
        return found
    roots = [model.body(name).id for name in record.bodies]
    whose: NDArray[np.bool_] = np.isin(model.body_rootid[model.geom_bodyid], roots)
    return whose
