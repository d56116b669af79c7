/** Questions to a derivation; nothing here recurses, so trees may be deep. */

/** @import {DerivationNode, Primitive} from "./types.js" */

/**
 * A node with its place in the tree.
 *
 * @typedef {object} Place
 * @property {DerivationNode} node
 * @property {Place | null} parent
 * @property {Place[]} children
 * @property {number} depth  The root has 0.
 */

/**
 * All nodes, parents before their children, left to right; the root is the first.
 *
 * @param {DerivationNode} root
 * @returns {Place[]}
 */
export function places(root) {
  /** @type {Place[]} */
  const found = [];
  /** @type {Place[]} */
  const waiting = [{ node: root, parent: null, children: [], depth: 0 }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    found.push(place);
    const parent = place;
    place.children = (place.node.children ?? []).map((node) => (
      { node, parent, children: [], depth: parent.depth + 1 }
    ));
    waiting.push(...place.children.toReversed());
  }
  return found;
}

/**
 * The nodes in the order in which they were put together.
 *
 * @param {Place[]} all
 * @returns {Place[]}
 */
export function inOrder(all) {
  return all.toSorted((one, other) => one.node.order - other.node.order);
}

/**
 * Each symbol that a primitive stands for, numbered from 1 by its first place in the sentence. A
 * number is what sentence, tree and form call a primitive by, beside its colour.
 *
 * @param {Place[]} all
 * @param {Iterable<[string, number]>} [known]  Numbers that there are already: they are kept.
 * @returns {Map<string, number>}
 */
export function primitiveNumbers(all, known = []) {
  const numbers = new Map(known);
  const leaves = all.filter(({ node }) => node.primitive);
  leaves.sort((one, other) => one.node.span[0] - other.node.span[0]);
  for (const { node } of leaves) {
    const symbol = /** @type {Primitive} */ (node.primitive).symbol;
    if (!numbers.has(symbol)) numbers.set(symbol, numbers.size + 1);
  }
  return numbers;
}

/** Colours that primitives take in turn; numbers tell those of one colour apart. */
export const NUM_COLOURS = 8;

/** @param {number} number  Of a primitive. */
export function colourClass(number) {
  return `hue-${((number - 1) % NUM_COLOURS) + 1}`;
}

/**
 * The words of a node's span.
 *
 * @param {DerivationNode} node
 * @param {string[]} tokens
 */
export function words(node, tokens) {
  return tokens.slice(...node.span).join(" ");
}

/**
 * Where the function words of a node stand: the tokens of its span that no child covers.
 *
 * @param {DerivationNode} node
 */
export function functionWordPositions({ span: [begin, end], children = [] }) {
  const positions = Array.from({ length: end - begin }, (_, offset) => begin + offset);
  if (!children.length) return [];
  return positions.filter((i) => !children.some(({ span }) => span[0] <= i && i < span[1]));
}

/**
 * The function words of a node.
 *
 * @param {DerivationNode} node
 * @param {string[]} tokens
 */
export function functionWords(node, tokens) {
  return functionWordPositions(node).map((position) => tokens[position]).join(" ");
}

/** @param {Primitive} primitive */
export function primitiveText({ type, symbol, feature }) {
  return `${type} ${symbol}${feature ? ` [${feature}]` : ""}`;
}

/**
 * A node in one line, as a screen reader says it: first what can be seen of it.
 *
 * @param {DerivationNode} node
 * @param {string[]} tokens
 * @param {number} number  Of the primitive.
 */
export function nodeLabel(node, tokens, number) {
  if (node.primitive) {
    const { type, symbol, feature } = node.primitive;
    return `${words(node, tokens)} ${number} ${symbol}: primitive, ${type}${feature ? ` [${feature}]` : ""}`;
  }
  const said = functionWords(node, tokens);
  const beside = said ? ` with the function word${said.includes(" ") ? "s" : ""} “${said}”` : "";
  return `${node.operation}: operation${beside}, over “${words(node, tokens)}”`;
}
