"""Derivations for people: an indented tree as text, a picture as SVG, a tree for LaTeX."""

from html import escape

from lear.algebra.derivations import Derivation, Leaf, Node, fold_derivation, walk


def as_text(derivation: Derivation, tokens: tuple[str, ...]) -> str:
    """Return a tree of one line a node, parents above children."""
    siblings_left = {0: 1}  # depth -> how many nodes are still to come under the open parent
    lines = []
    for depth, node in walk(derivation):
        siblings_left[depth] -= 1
        siblings_left[depth + 1] = len(node.children)
        rails = "".join("│  " if siblings_left[level] else "   " for level in range(1, depth))
        branch = ("├─ " if siblings_left[depth] else "└─ ") if depth else ""
        lines.append(rails + branch + _line(node, tokens))
    return "\n".join(lines)


def _line(node: Derivation, tokens: tuple[str, ...]) -> str:
    if isinstance(node, Leaf):
        return f"{' '.join(tokens[node.begin : node.end])}  =  {node.primitive}"
    words = " ".join(node.words(tokens))
    return f'{node.operation}  "{words}"' if words else node.operation


def as_latex(derivation: Derivation, tokens: tuple[str, ...]) -> str:
    """Return a tree for LaTeX's package `forest`: operations above, words and primitives below."""

    def leaf(node: Leaf) -> str:
        words = " ".join(tokens[node.begin : node.end])
        return f"[{{{_tex(words)}}} [{{\\textit{{{_tex(str(node.primitive))}}}}}]]"

    def branch(node: Node, children: tuple[str, ...]) -> str:
        words = " ".join(node.words(tokens))
        label = _tex(node.operation) + (f" \\emph{{{_tex(words)}}}" if words else "")
        return f"[{{{label}}} {' '.join(children)}]"

    tree = fold_derivation(derivation, leaf, branch)
    return f"\\begin{{forest}}\n{tree}\n\\end{{forest}}\n"


_TEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def _tex(text: str) -> str:
    return text.translate(_TEX)


# Sizes of the picture in pixels: a character, a level of the tree, and the space around labels.
CHARACTER, LEVEL, SPACE = 7.9, 58, 16
STYLE = (
    "text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#1b1f24}"
    ".primitive{fill:#57606a;font-size:11px}.word{fill:#8a6d00}.operation{fill:#0b4f9e}"
    "rect{fill:#eef4fb;stroke:#9dbfe3}path{fill:none;stroke:#9aa4ae}.dashed{stroke-dasharray:3 3}"
)


def as_svg(derivation: Derivation, tokens: tuple[str, ...]) -> str:
    """Return a picture of a derivation: operations above, the sentence below, in reading order."""
    nodes = [node for _, node in walk(derivation)]
    heights = _heights(derivation, nodes)
    left_edges = _columns(nodes, tokens)
    top = max(heights.values())
    sentence_y = top * LEVEL + 40

    def center(begin: int, end: int) -> float:
        return (left_edges[begin] + left_edges[end]) / 2

    def y_of(node: Derivation) -> float:
        return sentence_y - heights[node.begin, node.end] * LEVEL

    lines, labels = [], []
    for node in nodes:
        x, y = center(node.begin, node.end), y_of(node)
        if isinstance(node, Leaf):
            words = " ".join(tokens[node.begin : node.end])
            labels.append(_text(x, y + 5, words, ""))
            labels.append(_text(x, y + 21, str(node.primitive), "primitive"))
            continue
        for child in node.children:
            lines.append(_curve(x, y, center(child.begin, child.end), y_of(child) - 12, ""))
        for position in node.word_positions:
            word_x = center(position, position + 1)
            lines.append(_curve(x, y, word_x, sentence_y - 12, "dashed"))
            labels.append(_text(word_x, sentence_y + 5, tokens[position], "word"))
        half = len(node.operation) * CHARACTER / 2 + 6
        labels.append(
            f'<rect x="{x - half:.1f}" y="{y - 13:.1f}" width="{2 * half:.1f}" height="22" rx="5"/>'
        )
        labels.append(_text(x, y + 3, node.operation, "operation"))
    size = f"0 0 {left_edges[-1]:.0f} {sentence_y + 34:.0f}"
    body = "\n".join((*lines, *labels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img">\n'
        f"<title>{escape(' '.join(tokens))}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


def _heights(derivation: Derivation, nodes: list[Derivation]) -> dict[tuple[int, int], int]:
    """Return span -> levels between a node and the sentence; no two nodes share a span."""
    heights: dict[tuple[int, int], int] = {}

    def node_height(node: Node, children: tuple[int, ...]) -> int:
        heights[node.begin, node.end] = 1 + max(children)
        return heights[node.begin, node.end]

    for node in nodes:
        heights[node.begin, node.end] = 0
    fold_derivation(derivation, lambda _: 0, node_height)
    return heights


def _columns(nodes: list[Derivation], tokens: tuple[str, ...]) -> list[float]:
    """Return the left edges of the tokens' columns and the right end; every label has room."""
    widths = [len(token) * CHARACTER + SPACE for token in tokens]
    for node in reversed(nodes):
        label = str(node.primitive) if isinstance(node, Leaf) else node.operation
        missing = len(label) * CHARACTER + SPACE + 12 - sum(widths[node.begin : node.end])
        for position in range(node.begin, node.end):
            widths[position] += max(0.0, missing) / (node.end - node.begin)
    edges = [0.0]
    for width in widths:
        edges.append(edges[-1] + width)
    return edges


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _curve(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    middle = (y1 + y2) / 2
    return (
        f'<path class="{kind}" d="M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} '
        f'{x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"/>'
    )
