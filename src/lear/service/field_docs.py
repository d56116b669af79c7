"""What the source says of fields: the text that follows each of them, for descriptions."""

import ast
import inspect
import textwrap


def field_docs(kind: type) -> dict[str, str]:
    """Field -> its description, of a class with those that it inherits from."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("lear."):
            docs |= _own_docs(base)
    return docs


def _own_docs(kind: type) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            docs[field.target.id] = inspect.cleandoc(str(text.value.value))
    return docs
