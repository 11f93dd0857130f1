"""For people who write rules: what is wrong with a rule, what it finds, and a first draft of one."""
