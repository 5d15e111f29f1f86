"""What makes a figure true: checks that run in every measurement; pure functions."""
