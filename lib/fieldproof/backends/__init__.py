"""Where the processes of a run live: started, watched, signalled and cleaned up."""

from fieldproof.backends._domain import DomainError, RosDomain, claim_domain
from fieldproof.backends._environment import ros_environment
from fieldproof.backends._orphans import end_run, engine_mark, orphans, sweep
from fieldproof.backends._process import Backend, Process, ProcessBackend, ProcessSpec, StartError
from fieldproof.backends._program import TIMED_OUT, run_program
from fieldproof.backends._scheduling import handing_over
from fieldproof.backends._usage import ProcessGroup, Usage, UsageMonitor

__all__ = [
    "TIMED_OUT",
    "Backend",
    "DomainError",
    "Process",
    "ProcessBackend",
    "ProcessGroup",
    "ProcessSpec",
    "RosDomain",
    "StartError",
    "Usage",
    "UsageMonitor",
    "claim_domain",
    "end_run",
    "engine_mark",
    "handing_over",
    "orphans",
    "ros_environment",
    "run_program",
    "sweep",
]
