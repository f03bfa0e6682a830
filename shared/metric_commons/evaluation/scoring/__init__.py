"""From a request to a result: modules, systems and rows, in one or several processes."""
