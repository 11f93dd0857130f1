"""Read torch.compile crash logs and name the root cause."""

__version__ = "0.1.0"
