"""The tests. Folders below mirror the source; shared parts are in ``tests.fixtures``."""
