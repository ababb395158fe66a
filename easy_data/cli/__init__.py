"""The ``easy-data`` command."""
