"""What models are asked, beside the form of the answers."""
