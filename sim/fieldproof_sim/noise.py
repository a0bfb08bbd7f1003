import hashlib

import numpy as np


def noise_generator(seed: int, vehicle: str, sensor: str) -> np.random.Generator:
    """Return the random stream of one sensor, whatever other vehicles and sensors there are.

    Counter-based (Philox), keyed by the run's seed and a digest of both names, so that streams are
    independent and the same on every machine.
    """
    digest = hashlib.sha256(f"{vehicle}\0{sensor}".encode()).digest()
    key = tuple(np.frombuffer(digest[:16], "<u4").tolist())
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=key)))
