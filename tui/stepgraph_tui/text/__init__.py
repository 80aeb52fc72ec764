"""What the command line and the app both say: safe text, masked secrets, differences, reviews in words."""
