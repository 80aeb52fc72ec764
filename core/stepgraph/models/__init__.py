"""Language models: what is said to them and what they answer, and who answers."""
