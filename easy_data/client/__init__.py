"""A caller's ways in."""
