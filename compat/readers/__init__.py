"""One module a reader. Each has ``read(part, mode)``, which yields rows as plain dicts, lists, str, int and None."""
