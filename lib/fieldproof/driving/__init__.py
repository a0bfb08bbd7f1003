"""Driving suites: agents in a closed loop with a simulator, gates, baselines, open loop."""
