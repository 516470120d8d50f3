"""What everything stands on: errors, units, paths, discovery of plug-ins, calling programs."""
