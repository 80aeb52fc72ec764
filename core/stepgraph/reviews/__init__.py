"""What a person is asked and decides, and the inbox of what waits in a store."""
