"""The typed face of the native core: exact solvers, bounds, bulk work."""
