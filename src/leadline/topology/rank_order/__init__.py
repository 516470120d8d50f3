"""Orders of ranks: which rank runs on which node, and what that costs in messages."""
