"""The command line. ``main`` is the entry; each command is a module of its own, loaded when it is called."""
