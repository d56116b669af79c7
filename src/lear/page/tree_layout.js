/** Where everything of a drawn derivation stands: the sentence below, operations above. */

/** @import {Place} from "./derivation.js" */

/** Sizes in pixels. */
export const BOX = 28;
/** Between levels; deep trees are packed closer, so that more of them can be seen at once. */
const LEVEL = 62;
const LEAST_LEVEL = 40;
const PREFERRED_HEIGHT = 640;
const GAP = 14;
const MARGIN = 16;
/** From the middle of a word to its primitive's label. */
export const PRIMITIVE_BELOW = 27;

/**
 * @typedef {(text: string, kind: "word" | "label" | "operation") => number} Measure
 *   The width of a text.
 *
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {number} sentenceY  Of the middle of the words.
 * @property {Map<Place, {x: number, y: number, width: number}>} at  The middle of each node.
 * @property {number[]} wordX  The middle of each token.
 */

/**
 * @param {Place[]} all
 * @param {string[]} tokens
 * @param {(place: Place) => string} labelOf  An operation's name, or the label of a primitive.
 * @param {Measure} measure
 * @returns {Layout}
 */
export function layoutTree(all, tokens, labelOf, measure) {
  const heights = nodeHeights(all);
  const widths = tokens.map((token) => measure(token, "word") + GAP);
  /** @type {Map<Place, number>} */
  const labelWidths = new Map();
  for (const place of all.toReversed()) { // children first: what is wide below makes room above
    const [begin, end] = place.node.span;
    const width = Math.ceil(measure(labelOf(place), place.node.primitive ? "label" : "operation"));
    labelWidths.set(place, width);
    const missing = width + GAP - sum(widths.slice(begin, end));
    for (let i = begin; i < end; i += 1) widths[i] += Math.max(0, missing) / (end - begin);
  }
  const edges = [MARGIN];
  for (const width of widths) edges.push(edges[edges.length - 1] + Math.ceil(width));
  const top = Math.max(...heights.values());
  const level = Math.max(LEAST_LEVEL, Math.min(LEVEL, PREFERRED_HEIGHT / top));
  const sentenceY = Math.round(MARGIN + BOX / 2 + top * level);
  /** @type {Layout["at"]} */
  const at = new Map();
  for (const place of all.toReversed()) {
    const [begin, end] = place.node.span;
    const width = labelWidths.get(place) ?? 0;
    // Over the middle of its parts, which keeps deep trees together, but within its own words.
    const below = place.children.map((child) => at.get(child)?.x ?? 0);
    const middle = below.length
      ? (below[0] + below[below.length - 1]) / 2
      : (edges[begin] + edges[end]) / 2;
    const room = (width + GAP) / 2;
    const x = Math.round(Math.min(Math.max(middle, edges[begin] + room), edges[end] - room));
    at.set(place, { x, y: Math.round(sentenceY - (heights.get(place) ?? 0) * level), width });
  }
  return {
    width: edges[edges.length - 1] + MARGIN,
    height: sentenceY + PRIMITIVE_BELOW + BOX / 2 + MARGIN,
    sentenceY,
    at,
    wordX: tokens.map((_, i) => (edges[i] + edges[i + 1]) / 2),
  };
}

/**
 * Levels between each node and the sentence.
 *
 * @param {Place[]} all
 */
function nodeHeights(all) {
  /** @type {Map<Place, number>} */
  const heights = new Map();
  for (const place of all.toReversed()) {
    const below = place.children.map((child) => heights.get(child) ?? 0);
    heights.set(place, below.length ? 1 + Math.max(...below) : 0);
  }
  return heights;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
