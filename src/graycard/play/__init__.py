"""Streams of frames at exact times, as a player or a recorder has them."""
