"""The command line of Fieldproof."""
