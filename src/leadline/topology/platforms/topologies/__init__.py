"""How the nodes of machines are joined; each module is one way (see `platforms.topology`)."""
