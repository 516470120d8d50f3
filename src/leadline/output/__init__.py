"""What people see: terminal, HTML report, server."""
