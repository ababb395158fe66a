"""What things are called: records, requests, settings, errors and ports. No I/O happens here."""
