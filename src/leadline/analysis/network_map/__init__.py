"""A machine as a map: its graph, who holds its nodes, and what crosses its links."""
