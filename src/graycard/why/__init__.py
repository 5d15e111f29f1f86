"""Which layer holds a copy back."""
