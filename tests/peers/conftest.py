# Adapters put our functions into peers when they are imported: that is for processes of their own.
collect_ignore_glob = ["adapt_*.py", "documented_*.py", "plugin.py"]
