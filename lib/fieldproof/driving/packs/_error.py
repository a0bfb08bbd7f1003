class PackError(Exception):
    """A pack cannot be installed or is not what its manifest says; the text says why."""
