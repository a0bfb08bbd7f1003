from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A part of a document: unknown keys refused, nothing coerced, numbers finite, frozen.

    Derived models are read with `fieldproof.model.validated`, which takes lists for tuples and
    reports every problem with its path.
    """

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, validate_default=False
    )
