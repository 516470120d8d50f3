"""One launcher's way of writing down an order of ranks a file."""
