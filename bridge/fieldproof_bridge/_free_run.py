from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor

from fieldproof_bridge._errors import BridgeError

if TYPE_CHECKING:
    from rclpy.context import Context

    from fieldproof_bridge._node import VehicleNode
    from fieldproof_bridge._pipeline import CommandPipeline, SensorPipeline
    from fieldproof_sim import Frame, FrameSubscriber

CLOCK_TOPIC = "clock"


class FreeRunningBridge:
    """Forwards frames and commands as they come; nothing waits for anything.

    Frames are published by whoever calls ``pump``; commands go to the simulator from a thread of
    their own, one by one.

    Args:
        node: the ROS end.
        sensors: the vehicle's sensor routes.
        subscriber: the vehicle's frames and the clock's, already synchronised.
    """

    def __init__(
        self, node: VehicleNode, sensors: SensorPipeline, subscriber: FrameSubscriber
    ) -> None:
        self._node = node
        self._sensors = sensors
        self._subscriber = subscriber
        self.time_ns = 0

    def pump(self) -> None:
        """Publish every frame that has arrived, in the order of the simulator."""
        for frame in self._subscriber.drain():
            self._publish(frame)

    def _publish(self, frame: Frame) -> None:
        self.time_ns = max(self.time_ns, frame.time_ns)
        if frame.topic == CLOCK_TOPIC:
            self._sensors.advance(frame.time_ns)
            self._node.publish_clock(frame.time_ns)
        else:
            self._sensors.publish(frame)


class CommandThread:
    """Serves the command subscription while the simulator runs free.

    Attributes:
        failure: why the thread has ended before ``stop``, None while all is well.
    """

    def __init__(
        self, node: VehicleNode, commands: CommandPipeline, context: Context, timeout_s: float
    ) -> None:
        self._node = node
        self._commands = commands
        self._timeout_s = timeout_s
        self._executor = SingleThreadedExecutor(context=context)
        self._thread = threading.Thread(target=self._serve, name="commands", daemon=True)
        self._clock: FreeRunningBridge | None = None
        self.failure: BridgeError | None = None

    def start(self, clock: FreeRunningBridge) -> None:
        """Begin to forward; ``clock`` knows what time it is in the simulation."""
        self._clock = clock
        self._executor.add_node(self._node.node)
        self._thread.start()

    def take(self, message: Any) -> None:
        """Forward one command; called by the subscription."""
        self._deliver([message])

    def renew(self) -> None:
        """Forward the command that stands once more if a fault has changed.

        Raises:
            BridgeError: ``simulator``.
        """
        self._deliver([])

    def stop(self) -> None:
        """End the thread; a command being forwarded is finished first."""
        self._executor.shutdown()
        if self._thread.is_alive():
            self._thread.join()

    def _deliver(self, messages: list[Any]) -> None:
        if self._clock is None:
            return
        with self._commands.lock:
            command = self._commands.last_of(messages, self._clock.time_ns)
            if command is not None:
                self._commands.forward(command, self._timeout_s)
                self._node.publish_drive(command)

    def _serve(self) -> None:
        try:
            self._executor.spin()
        except (ExternalShutdownException, ShutdownException):
            return
        except BridgeError as error:
            self.failure = error
