"""All jobs of a site: which lose most to what, which became slower, which nodes are late."""
