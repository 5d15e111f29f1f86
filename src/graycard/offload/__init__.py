"""A camera card to several places at once, verified."""
