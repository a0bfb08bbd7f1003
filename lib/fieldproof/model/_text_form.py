import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from fieldproof.model._problems import fault, shown

_LONGEST = 255


@dataclass(frozen=True, slots=True)
class TextForm:
    """The form of a text, as metadata of an annotation: checked, and told by the JSON Schema.

    Attributes:
        pattern: Regular expression of the whole text, from ^ to $, as JSON Schema has them. It
            matches ASCII; texts of more than 255 characters have no form.
        what: What the text must be, for the message about one that is not.
    """

    pattern: str
    what: str

    def check(self, text: str) -> str:
        """Return the text.

        Raises:
            PydanticCustomError: It is not of this form.
        """
        whole = self.pattern.removeprefix("^").removesuffix("$")
        if len(text) > _LONGEST or not re.fullmatch(whole, text, re.ASCII):
            raise fault(f"must be {self.what} (got {shown(text)})")
        return text

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the type's schema, with the check after it."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the type's JSON Schema, with the pattern."""
        return {**handler(schema), "pattern": self.pattern}
