"""A derivation of the toy language, by hand: Tom teaches John 's daughter."""

from lear.algebra.algebra import Primitive
from lear.algebra.derivations import Leaf, Node

TOKENS = ("Tom", "teaches", "John", "'s", "daughter")
TOM = Leaf(0, 1, Primitive("Person", "tom"))
TEACHES = Leaf(1, 2, Primitive("Action", "teach"))
JOHN = Leaf(2, 3, Primitive("Person", "john"))
DAUGHTER = Leaf(4, 5, Primitive("Relation", "daughter"))
OBJECT = Node(2, 5, "possess", (JOHN, DAUGHTER))
SENTENCE = Node(0, 5, "take_subject", (TOM, Node(1, 5, "take_object", (TEACHES, OBJECT))))
