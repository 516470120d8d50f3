"""A virtual cluster: hosts made of namespaces, joined by links of a stated rate."""
