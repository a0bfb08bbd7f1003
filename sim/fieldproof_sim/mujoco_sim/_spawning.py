from dataclasses import replace

from fieldproof_sim._geometry import Pose, quaternion_from_rpy
from fieldproof_sim._problems import Problem
from fieldproof_sim.protocol import Box, Code, Cylinder, RequestError, Spawn, Sphere
from fieldproof_sim.sdf import Link, Model, SdfError, parse_model_file
from fieldproof_sim.shapes import Box as BoxShape
from fieldproof_sim.shapes import Collision, Inertial, Shape, Visual
from fieldproof_sim.shapes import Cylinder as CylinderShape
from fieldproof_sim.shapes import Sphere as SphereShape


def model_to_spawn(request: Spawn) -> tuple[Model, tuple[Problem, ...]]:
    """Return the model that a request describes, where it asks for it, and what was left out.

    A shape stands on the request's pose, its frame half its height above it; an SDF model's frame
    is put at the pose.

    Raises:
        RequestError: `bad_world`, when the SDF file cannot be used.
    """
    place = request.pose
    rotation = quaternion_from_rpy(0, 0, place.yaw)
    if request.sdf is not None:
        try:
            model, warnings = parse_model_file(request.sdf)
        except SdfError as error:
            raise RequestError(Code.BAD_WORLD, str(error)) from error
        except OSError as error:
            what = f"{request.sdf}: {error.strerror or error}"
            raise RequestError(Code.BAD_WORLD, what) from error
        pose = Pose((place.x, place.y, place.z), rotation)
        return replace(model, name=request.model, pose=pose), warnings
    shape, moments = _shape(request)
    mass = request.mass_kg
    ixx, iyy, izz = (mass * moment for moment in moments)
    link = Link(
        "link",
        Pose(),
        Inertial(mass, (ixx, iyy, izz, 0.0, 0.0, 0.0), Pose()),
        (Collision("collision", Pose(), shape),),
        (Visual("visual", Pose(), shape, (*request.color, 1.0)),),
    )
    pose = Pose((place.x, place.y, place.z + stand_of(request)), rotation)
    return Model(request.model, pose, request.static, (link,)), ()


def stand_of(request: Spawn) -> float:
    """Return how far above its ground the model's frame is: half a shape's height."""
    match request.shape:
        case Box(size=(_, _, height)) | Cylinder(length=height):
            return height / 2
        case Sphere(radius=radius):
            return radius
        case _:
            return 0.0


def _shape(request: Spawn) -> tuple[Shape, tuple[float, float, float]]:
    """Return the shape and its moments of inertia per kilogram, solid and even."""
    match request.shape:
        case Box(size=(x, y, z)):
            return BoxShape((x, y, z)), (
                (y * y + z * z) / 12,
                (x * x + z * z) / 12,
                (x * x + y * y) / 12,
            )
        case Cylinder(radius=radius, length=length):
            across = (3 * radius * radius + length * length) / 12
            return CylinderShape(radius, length), (across, across, radius * radius / 2)
        case Sphere(radius=radius):
            moment = 0.4 * radius * radius
            return SphereShape(radius), (moment, moment, moment)
        case _:
            raise RequestError(Code.BAD_REQUEST, "spawn: give either shape or sdf")
