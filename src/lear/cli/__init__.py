"""The command line: parsing of arguments and printing; every command calls the library."""
