"""Where things are kept: the database, the vector index and the hot summary."""
