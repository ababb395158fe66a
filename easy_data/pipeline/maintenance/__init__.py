"""Keeping memory over time: jobs that run once for each local day or month of an entity."""
