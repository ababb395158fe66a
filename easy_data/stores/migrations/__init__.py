"""Alembic migrations, run from inside the package."""
