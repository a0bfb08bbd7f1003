from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from fieldproof.model._bases import AssertionBase, KpiBase, TimelineBase
from fieldproof.model._durations import Duration
from fieldproof.model._settings import ScenarioFile, VehicleSettings

_REFERENCE = "#/definitions/{model}"
_DIALECT = "http://json-schema.org/draft-07/schema#"
_MODE: JsonSchemaMode = "validation"


class _Generator(GenerateJsonSchema):
    """Shows defaults as a file would have them."""

    def encode_default(self, dft: Any) -> Any:
        """Return a default as JSON data, a duration in seconds."""
        return dft.to_number() if isinstance(dft, Duration) else super().encode_default(dft)


def scenario_schema(
    event_types: Mapping[str, type[TimelineBase]],
    assertion_types: Mapping[str, type[AssertionBase]],
    kpi_types: Mapping[str, type[KpiBase]] | None = None,
) -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of scenario files, for editors.

    An entry's `action` or `type` decides by which part of the schema it is checked. Rules that
    span several values, such as names that must exist, are not in it.

    Args:
        event_types: The entry of each action.
        assertion_types: The specification of each assertion type.
        kpi_types: The specification of each collector.
    """
    kpi_types = kpi_types or {}
    models: list[type[BaseModel]] = [ScenarioFile, VehicleSettings]
    for kinds in (event_types, assertion_types, kpi_types):
        models.extend(kinds[name] for name in sorted(kinds))
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        (model, _MODE) for model in dict.fromkeys(models)
    ]
    references, schema = models_json_schema(
        wanted, ref_template=_REFERENCE, schema_generator=_Generator
    )
    definitions: dict[str, Any] = schema["$defs"]
    root = definitions.pop(_name_of(references[ScenarioFile, _MODE]))
    parts = root["properties"]
    parts["vehicles"]["items"] = references[VehicleSettings, _MODE]
    for section, key, kinds in (
        ("timeline", "action", event_types),
        ("assertions", "type", assertion_types),
        ("kpis", "type", kpi_types),
    ):
        refs = {name: references[kinds[name], _MODE] for name in sorted(kinds)}
        parts[section]["items"] = _chosen_by(key, refs)
    document = {"$schema": _DIALECT, **root, "definitions": dict(sorted(definitions.items()))}
    adapted: dict[str, Any] = _draft_07(document)
    return adapted


def document_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of files that one model reads, such as `World`."""
    root = model.model_json_schema(ref_template=_REFERENCE, mode=_MODE, schema_generator=_Generator)
    definitions = root.pop("$defs", {})
    document = {"$schema": _DIALECT, **root, "definitions": dict(sorted(definitions.items()))}
    adapted: dict[str, Any] = _draft_07(document)
    return adapted


def _name_of(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]


def _chosen_by(key: str, references: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of an entry whose key picks one of several schemas."""
    if not references:
        return {"type": "object"}
    picks = [
        {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": reference}
        for name, reference in references.items()
    ]
    return {
        "type": "object",
        "required": [key],
        "properties": {key: {"enum": list(references)}},
        "allOf": picks,
    }


def _draft_07(part: Any) -> Any:
    """Return a schema with what newer drafts spell otherwise put into the words of draft-07."""
    if isinstance(part, list):
        return [_draft_07(item) for item in part]
    if not isinstance(part, dict):
        return part
    adapted = {key: _draft_07(item) for key, item in part.items()}
    if "prefixItems" in adapted:
        adapted["items"] = adapted.pop("prefixItems")
        adapted["additionalItems"] = False
    if "$ref" in adapted and len(adapted) > 1:
        adapted = {"allOf": [{"$ref": adapted.pop("$ref")}], **adapted}
    return adapted
