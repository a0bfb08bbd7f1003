from fieldproof_sim._xml import Element, Reader


def check_inertia(
    reader: Reader, element: Element, mass: float, inertia: tuple[float, ...]
) -> None:
    """Note a mass or moments of inertia that no rigid body has."""
    if mass <= 0:
        reader.error(element, f"<mass> must be positive (got {mass:g})")
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    minors = (
        ixx,
        ixx * iyy - ixy * ixy,
        ixx * (iyy * izz - iyz * iyz)
        - ixy * (ixy * izz - iyz * ixz)
        + ixz * (ixy * iyz - iyy * ixz),
    )
    if min(minors) <= 0:
        reader.error(element, "<inertia> must be positive definite")
    # Of the full tensor's diagonal too, each moment is at most the sum of the others.
    elif 2 * max(ixx, iyy, izz) > (ixx + iyy + izz) * (1 + 1e-9):
        reader.error(element, "<inertia>: one moment is above the sum of the other two")
