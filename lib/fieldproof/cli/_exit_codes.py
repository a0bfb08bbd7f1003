"""What the commands' exit codes mean; `docs/cli.md` says it to users.

Numbers instead of `fieldproof.runs.Status`, so that no command pays for an import before it needs
it; a test holds the two together.
"""

PASSED = 0
"""The run passed, the files are valid, the runs are as sealed."""
FAILED = 1
"""The run did not pass, whatever the reason, or the command could not do what it was asked."""
INVALID = 2
"""What a person wrote is not valid: a scenario, the workspace file, a plugin, the command line."""
INTERRUPTED = 130
"""Somebody asked for the end: SIGINT or SIGTERM."""
BISECT_SKIP = 125
"""With `--bisect`: nothing can be said about this commit."""
