"""What is served: each module has the `ADDRESSES` of one page, and of its JSON for programs."""
