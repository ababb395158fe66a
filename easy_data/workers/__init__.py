"""Processes that run the pipeline in the background."""
