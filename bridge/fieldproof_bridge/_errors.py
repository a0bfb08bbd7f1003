class BridgeError(Exception):
    """What the bridge cannot do, as it is answered on the control socket.

    Attributes:
        code: a stable word a program can branch on, such as ``ack_timeout``.
        message: one sentence for people, naming the topic, node or tick it is about.
        details: further fields of the answer (``nodes``, ``topics``), JSON-like values only.
    """

    def __init__(self, code: str, message: str, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class ConfigError(ValueError):
    """A configuration or manifest that the bridge cannot use.

    Attributes:
        problems: every problem found, each starting with the path of the key.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems
