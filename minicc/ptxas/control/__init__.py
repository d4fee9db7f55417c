"""The control field of finished code: set, checked and explained."""
