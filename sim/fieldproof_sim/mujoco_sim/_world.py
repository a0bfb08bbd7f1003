from dataclasses import replace
from typing import Any, Final

import mujoco

from fieldproof_sim._geometry import Pose
from fieldproof_sim.mujoco_sim._geoms import add_part, parts_of
from fieldproof_sim.mujoco_sim._records import ModelRecord
from fieldproof_sim.protocol import Code, RequestError
from fieldproof_sim.sdf import Link, Model, World
from fieldproof_sim.shapes import Heightmap, Inertial, Plane

_IMPRATIO: Final = 10.0


def new_spec(name: str, step_ns: int) -> Any:
    """Return an empty model with the solver settings that wheels roll well with.

    Euler integration, because the implicit integrators damp a driven wheel's acceleration after
    contact was solved and let the vehicle outrun its wheels; elliptic cones with a stiff friction
    (impratio), because the default lets tyres creep.
    """
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.copy_during_attach = True
    # A state gone bad must not be put back to the start in silence.
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    spec.option.timestep = step_ns / 1e9
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = _IMPRATIO
    # What a vehicle does must not depend, in its last bits, on what else is in the world: MuJoCo
    # keeps the solver's last solution only if it is the better start for the world as a whole, and
    # chooses between dense and sparse algebra by the world's size.
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    return spec


def build_world(world: World, step_ns: int) -> tuple[Any, list[ModelRecord]]:
    """Turn a world into a MuJoCo specification and say where its models are in it."""
    spec = new_spec(world.name, step_ns)
    spec.option.gravity = list(world.gravity)
    return spec, [
        replace(add_model(spec, model), is_ground=_is_ground(model)) for model in world.models
    ]


def _is_ground(model: Model) -> bool:
    """Tell whether the rest of a world stands on a model: it has a plane or a heightmap."""
    return any(
        isinstance(collision.shape, Plane | Heightmap)
        for link in model.links
        for collision in link.collisions
    )


def add_model(spec: Any, model: Model) -> ModelRecord:
    """Add a model to a specification.

    What is static becomes geoms of MuJoCo's world body, which costs nothing to move and little to
    collide with; any other link becomes a free body.

    Raises:
        RequestError: `bad_world`, for a shape that cannot move or a name that is there twice;
            nothing is added then.
    """
    _check(model)
    if model.static:
        names = [
            name
            for link in model.links
            for name in _add_parts(
                spec,
                spec.worldbody,
                f"{model.name}::{link.name}",
                link,
                model.pose.compose(link.pose),
            )
        ]
        return ModelRecord(model.name, model.pose, geoms=tuple(names))
    bodies = tuple(_add_free_link(spec, model, link) for link in model.links)
    for index, first in enumerate(bodies):
        for second in bodies[index + 1 :]:
            spec.add_exclude(name=f"{first}|{second}", bodyname1=first, bodyname2=second)
    return ModelRecord(
        model.name,
        model.pose,
        bodies=bodies,
        offsets=tuple(link.pose for link in model.links),
        windy=tuple(body for body, link in zip(bodies, model.links, strict=True) if link.wind),
    )


def _check(model: Model) -> None:
    taken = set()
    for link in model.links:
        scope = f"{model.name}::{link.name}"
        for part in parts_of(link.collisions, link.visuals):
            if not model.static and isinstance(part.shape, Plane | Heightmap):
                kind = type(part.shape).__name__.lower()
                raise RequestError(Code.BAD_WORLD, f"{scope}: a {kind} must be in a static model")
            name = f"{scope}::{part.name}"
            if name in taken:
                raise RequestError(Code.BAD_WORLD, f"{model.name}: two parts are called {name}")
            taken.add(name)


def _add_free_link(spec: Any, model: Model, link: Link) -> str:
    name = f"{model.name}::{link.name}"
    pose = model.pose.compose(link.pose)
    body = spec.worldbody.add_body(
        name=name,
        pos=list(pose.position),
        quat=list(pose.rotation),
        gravcomp=float(not link.gravity),
    )
    body.add_freejoint(name=name)
    set_inertial(body, link.inertial)
    _add_parts(spec, body, name, link, Pose())
    return name


def _add_parts(spec: Any, body: Any, scope: str, link: Link, frame: Pose) -> list[str]:
    names = []
    for part in parts_of(link.collisions, link.visuals):
        names.append(f"{scope}::{part.name}")
        add_part(spec, body, names[-1], part, frame)
    return names


def set_inertial(body: Any, inertial: Inertial) -> None:
    """Give a body its mass and inertia as written, whatever geoms it has."""
    body.explicitinertial = True
    body.mass = inertial.mass
    body.ipos = list(inertial.pose.position)
    # A full tensor stands for itself in the inertial frame, so it is turned into the body's.
    body.fullinertia = _in_body(inertial)


def _in_body(inertial: Inertial) -> list[float]:
    ixx, iyy, izz, ixy, ixz, iyz = inertial.inertia
    tensor = ((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz))
    columns = [
        Pose((0, 0, 0), inertial.pose.rotation).compose(Pose(axis)).position for axis in _AXES
    ]
    turned = [
        [
            sum(columns[k][i] * tensor[k][m] * columns[m][j] for k in range(3) for m in range(3))
            for j in range(3)
        ]
        for i in range(3)
    ]
    return [turned[0][0], turned[1][1], turned[2][2], turned[0][1], turned[0][2], turned[1][2]]


_AXES: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
