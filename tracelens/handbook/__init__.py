"""What tracelens knows, to be read without a log: rules, labels, causes and compile modes."""
