"""Laws, oracles, contracts and end-to-end runs. A test's name is the claim it checks."""
