"""The words of the toy language with their symbols: what the generator speaks, not what lear knows.

lear never reads this at parsing time: it induces the lexicon from generated training pairs.
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

TYPE_OF_SYMBOL = {
    **dict.fromkeys(NAMES.values(), "Person"),
    **dict.fromkeys(KINDS.values(), "Kind"),
    **dict.fromkeys(RELATIONS.values(), "Relation"),
    **dict.fromkeys((symbol for _, symbol in ACTIONS.values()), "Action"),
    **dict.fromkeys(ATTITUDES.values(), "Attitude"),
}
"""The signature of the form language: the domain author's knowledge of what each symbol is."""
