"""The four write steps, one function a file: extract, classify, dedupe, settle."""
