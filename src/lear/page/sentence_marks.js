/** What is shown in the sentence itself: what its words stand for, and what was done about them. */

/** @import {Answer, Result} from "./types.js" */
/** @import {Place} from "./derivation.js" */

/**
 * A mark on words: what kind it is, and what it says to people.
 *
 * @typedef {{kind: "refused" | "repaired" | "guessed" | "overlooked" | "unused", text: string}} Mark
 */

/**
 * Words that belong together: a unit, a refused span, or a word alone.
 *
 * @typedef {object} Group
 * @property {number} begin
 * @property {number} end
 * @property {"primitive" | "function" | "plain"} kind
 * @property {string} symbol  Of the primitive; else empty.
 * @property {Mark[]} marks
 */

/** @type {Record<string, string>} What is said of words that an answer leaves out. */
const LEFT_OUT = { overlooked: "overlooked", unused: "without use here" };

/**
 * The sentence cut into groups, from left to right; every token is in one of them.
 *
 * @param {Result} result
 * @param {Answer | null} answer  The one that is shown.
 * @param {Place[]} all  The nodes of its derivation.
 * @returns {Group[]}
 */
export function sentenceGroups(result, answer, all) {
  const { tokens } = result;
  /** @type {Map<number, Group>} */
  const byBegin = new Map();
  for (const { node } of all) {
    if (node.primitive) addGroup(byBegin, node.span, "primitive", node.primitive.symbol);
  }
  for (const { span, why } of result.refused ?? []) {
    addGroup(byBegin, span, "plain", "").marks.push({ kind: "refused", text: why });
  }
  for (const { span, kind, text } of marksOf(result, answer)) {
    const mark = { kind, text: LEFT_OUT[kind] ?? text };
    for (const group of holders(byBegin, span, answer ? "function" : "plain")) group.marks.push(mark);
  }
  /** @type {Group[]} */
  const groups = [];
  for (let position = 0; position < tokens.length; position = groups[groups.length - 1].end) {
    const kind = answer ? "function" : "plain";
    groups.push(byBegin.get(position) ?? newGroup([position, position + 1], kind, ""));
  }
  return groups;
}

/**
 * @param {[number, number]} span
 * @param {Group["kind"]} kind
 * @param {string} symbol
 * @returns {Group}
 */
function newGroup([begin, end], kind, symbol) {
  return { begin, end, kind, symbol, marks: [] };
}

/**
 * @param {Map<number, Group>} byBegin
 * @param {[number, number]} span
 * @param {Group["kind"]} kind
 * @param {string} symbol
 */
function addGroup(byBegin, span, kind, symbol) {
  const group = byBegin.get(span[0]) ?? newGroup(span, kind, symbol);
  byBegin.set(span[0], group);
  return group;
}

/**
 * The groups that have words of a span; one is made if there is none.
 *
 * @param {Map<number, Group>} byBegin
 * @param {[number, number]} span
 * @param {Group["kind"]} kind
 */
function holders(byBegin, [begin, end], kind) {
  const found = [...byBegin.values()].filter((group) => group.begin < end && begin < group.end);
  return found.length ? found : [addGroup(byBegin, [begin, end], kind, "")];
}

/**
 * What was done about words, where they stand.
 *
 * @param {Result} result
 * @param {Answer | null} answer
 */
export function marksOf(result, answer) {
  return answer?.marks ?? result.marks ?? [];
}
