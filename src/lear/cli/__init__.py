"""The command line: reading arguments and printing results; all other work is the library's."""
