"""Text that is safe to show, for other reports than those of this package."""

from fieldproof_reports._markdown import block, code, escape, table
from fieldproof_reports._text import clean, number, one_line, seconds

__all__ = ["block", "clean", "code", "escape", "number", "one_line", "seconds", "table"]
