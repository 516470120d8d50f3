"""Screening a cluster: who is measured with whom, and which node, link or uplink is slow."""
