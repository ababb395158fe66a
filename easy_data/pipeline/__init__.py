"""What the system does: intake, the four write steps, recall and upkeep."""
