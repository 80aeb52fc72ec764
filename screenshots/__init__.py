"""Pictures of the real app, and the scenes that they and the snapshot tests show."""
