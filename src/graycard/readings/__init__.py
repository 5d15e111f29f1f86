"""What other programs say of a set-up, as facts to attach."""
