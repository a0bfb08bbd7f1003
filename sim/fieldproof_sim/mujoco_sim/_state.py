from typing import Any, Final

import mujoco

_WIDTHS: Final = {
    int(mujoco.mjtJoint.mjJNT_FREE): (7, 6),
    int(mujoco.mjtJoint.mjJNT_HINGE): (1, 1),
}


def carry_state(old_model: Any, old: Any, model: Any) -> Any:
    """Return data of `model` in the state of `old`, joint by joint and to the bit.

    Positions and velocities of joints that both models have, and the time, are all there is to
    carry: actuators have no state of their own, the solver does not start from its last solution,
    and controls and wind are written by those who own them. What is new is where its model says.
    """
    data = mujoco.MjData(model)
    data.time = old.time
    before = {old_model.joint(joint).name: joint for joint in range(old_model.njnt)}
    for joint in range(model.njnt):
        was = before.get(model.joint(joint).name)
        if was is None:
            continue
        positions, speeds = _WIDTHS[int(model.jnt_type[joint])]
        here, there = model.jnt_qposadr[joint], old_model.jnt_qposadr[was]
        data.qpos[here : here + positions] = old.qpos[there : there + positions]
        here, there = model.jnt_dofadr[joint], old_model.jnt_dofadr[was]
        data.qvel[here : here + speeds] = old.qvel[there : there + speeds]
    return data
