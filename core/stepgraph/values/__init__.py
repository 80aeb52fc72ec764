"""What everything else stands on: JSON values, the state and its keys, problems and errors."""
