"""How each launcher's ranks are known and its options spelled, one file each."""
