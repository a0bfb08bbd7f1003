from collections.abc import Sequence
from dataclasses import dataclass

from fieldproof.recording._qos import dump_yaml, qos_profiles

METADATA_VERSION = 9
_NO_MESSAGES_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """One topic of a recording, for its metadata.

    Attributes:
        qos: the text under `offered_qos_profiles` in the channel's metadata.
        type_hash: RIHS01 hash, or empty.
    """

    topic: str
    type_name: str
    type_hash: str
    qos: str
    messages: int


def metadata_document(
    *, file_name: str, start_ns: int | None, end_ns: int | None, topics: Sequence[TopicSummary]
) -> str:
    """Return the text of `metadata.yaml` in rosbag2's form (version 9).

    Args:
        file_name: the MCAP file beside it.
        start_ns: the first log time, None without messages.
        end_ns: the last log time, None without messages.
        topics: in the order in which they are to be listed.
    """
    start = _NO_MESSAGES_NS if start_ns is None else start_ns
    duration = {"nanoseconds": 0 if start_ns is None or end_ns is None else end_ns - start_ns}
    count = sum(each.messages for each in topics)
    information = {
        "version": METADATA_VERSION,
        "storage_identifier": "mcap",
        "duration": duration,
        "starting_time": {"nanoseconds_since_epoch": start},
        "message_count": count,
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": each.topic,
                    "type": each.type_name,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": qos_profiles(each.qos),
                    "type_description_hash": each.type_hash,
                },
                "message_count": each.messages,
            }
            for each in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [file_name],
        "files": [
            {
                "path": file_name,
                "starting_time": {"nanoseconds_since_epoch": start},
                "duration": dict(duration),
                "message_count": count,
            }
        ],
        "custom_data": None,
        "ros_distro": "jazzy",
    }
    return dump_yaml({"rosbag2_bagfile_information": information})
