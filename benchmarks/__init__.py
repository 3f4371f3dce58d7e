"""What is fast, beside whom, with the answers checked. METHOD.md says what is inside the clock."""
