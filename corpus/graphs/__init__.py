"""Real graphs to measure the reader with: programs, what torch writes of them, and a count of what is read."""
