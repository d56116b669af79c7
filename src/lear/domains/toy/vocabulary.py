"""The words of the toy language with their symbols, for the generator of rows only.

The parser never sees this table: its lexicon is induced from generated rows.
"""

NAMES = {
    "Tom": "tom", "John": "john", "Mary": "mary", "Anna": "anna", "Peter": "peter",
    "Lucy": "lucy", "Omar": "omar", "Nina": "nina", "Carl": "carl", "Ruth": "ruth",
}  # fmt: skip
KINDS = {"girl": "girl", "boy": "boy", "doctor": "doctor", "neighbour": "neighbour"}
RELATIONS = {
    "daughter": "daughter", "son": "son", "teacher": "teacher", "sister": "sister",
    "friend": "friend", "best friend": "best_friend",
}  # fmt: skip
ACTIONS = {
    "teaches": ("taught", "teach"), "helps": ("helped", "help"), "sees": ("seen", "see"),
    "admires": ("admired", "admire"), "looks after": ("looked after", "look_after"),
}  # fmt: skip
"""Active form -> passive form and symbol."""
ATTITUDES = {"knows": "know", "says": "say", "hopes": "hope"}
