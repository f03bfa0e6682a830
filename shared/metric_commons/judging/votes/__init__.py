"""Systems rated by votes between two of them, and rankings of systems compared."""
