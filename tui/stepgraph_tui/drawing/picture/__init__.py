"""Pictures of state graphs: what the boxes say, what a run has marked, and the picture as text."""
