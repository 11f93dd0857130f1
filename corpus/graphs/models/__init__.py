"""Programs as users write them: each takes a stand-in for ``torch.compile`` and runs it once."""
