/** Derivations to try things with. */

/** A primitive over these tokens. */
export function leaf(begin, end, symbol, order = 0) {
  return { span: [begin, end], symbol: "S", primitive: { type: "T", symbol }, meaning: symbol, score: 1, order };
}

/** An operation over these tokens. */
export function branch(begin, end, children, order = 0) {
  return { span: [begin, end], symbol: "S", operation: "join_all", meaning: "m", score: null, order, children };
}

/** A tree that goes deeper to the right with every second token, as in "a of a of a". */
export function chain(depth) {
  let tree = leaf(2 * depth, 2 * depth + 1, `s${depth}`, 0);
  for (let i = depth - 1; i >= 0; i -= 1) {
    tree = branch(2 * i, 2 * depth + 1, [leaf(2 * i, 2 * i + 1, `s${i}`), tree], 2 * (depth - i));
  }
  return { tree, tokens: Array.from({ length: 2 * depth + 1 }, (_, i) => (i % 2 ? "of" : `word${i}`)) };
}
