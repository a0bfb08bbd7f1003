from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What an agent may take.

    Attributes:
        load_s, reset_s: wall time to be imported and made, and to be reset.
        act_s: wall time of one answer.
        episode_s: wall time of all answers of one scenario, and processor time of the process.
        memory_mb: address space.
        file_mb: the largest file that it may write.
        answer_bytes: the largest answer.
    """

    load_s: float = 30.0
    reset_s: float = 10.0
    act_s: float = 5.0
    episode_s: float = 300.0
    memory_mb: int = 2048
    file_mb: int = 16
    answer_bytes: int = 4 << 20


class AgentFault(Exception):  # noqa: N818 - a fault of the software under test, not of ours
    """An agent did not do its part; the scenario fails, the suite goes on.

    Attributes:
        kind: `raised`, `hung`, `died`, `memory`, `nonsense` or `load`.
        text: what happened, as the end of a sentence.
        trace: the end of the agent's own trace, where there is one.
    """

    def __init__(self, kind: str, text: str, trace: str = "") -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.trace = trace


class AgentError(Exception):
    """There is no such agent; nothing can be run."""


class AgentInterruptedError(Exception):
    """Somebody asked for the end while an agent was asked something."""
