"""Close the network and load the shared fixtures; nothing else."""

from __future__ import annotations

from tests.fixtures.network import close_network

pytest_plugins = [
    "tests.fixtures.engines",
    "tests.fixtures.memories",
    "tests.fixtures.qdrant_server",
    "tests.fixtures.service",
]

close_network()
