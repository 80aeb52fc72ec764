"""What screens and dialogs are made of."""
