"""The observer and recorder: a process of its own between the run's graph and the engine.

The only package of the library that imports rclpy; run as `python -m fieldproof.observe`. What
turns messages into samples needs no ROS and serves recordings as well.
"""

from fieldproof.observe._watching import TopicWatch

__all__ = ["TopicWatch"]
