"""Node types."""
