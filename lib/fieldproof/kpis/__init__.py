"""The figures of a run, measured without judging."""

from fieldproof.kpis._map import Measured, Metrics, kpi_map

__all__ = ["Measured", "Metrics", "kpi_map"]
