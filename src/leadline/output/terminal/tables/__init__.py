"""Tables in which published measurements are written: one module a table, with its `TABLE`."""
