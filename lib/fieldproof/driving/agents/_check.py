"""Whether an agent can be loaded at all, before anything is run with it."""

from collections.abc import Callable, Mapping

from fieldproof.driving.agents._fault import AgentError, AgentFault, Limits
from fieldproof.driving.agents._folder import working_folder
from fieldproof.driving.agents._process import AgentProcess
from fieldproof.driving.agents._reference import AgentReference


def check_agent(
    agent: AgentReference,
    limits: Limits,
    *,
    needs: str,
    host: Mapping[str, str],
    asked: Callable[[], bool] = lambda: False,
) -> None:
    """Load an agent once, in a process that ends again, and refuse one that cannot be.

    Args:
        agent: which.
        limits: what it may take.
        needs: the method that will be asked for, `act` or `predict`.
        host: this process's environment.
        asked: whether somebody asks for the end.

    Raises:
        AgentError: It cannot be loaded, or has no such method; with the end of its trace.
        AgentInterruptedError: Somebody asked for the end.
        OSError: No process or folder can be made.
    """
    with (
        working_folder() as folder,
        AgentProcess(
            agent, limits=limits, folder=folder, host=host, mark={}, asked=asked
        ) as process,
    ):
        try:
            process.load(needs=needs)
        except AgentFault as fault:
            text = f"{agent.name}: {fault.text}, so that nothing was run"
            raise AgentError("\n".join([text, *fault.trace.splitlines()])) from None
