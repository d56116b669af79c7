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
  for (const [begin, end, mark] of repairs(result)) {
    if (![...byBegin.values()].some((group) => group.begin <= begin && end <= group.end)) {
      addGroup(byBegin, [begin, end], answer ? "function" : "plain", "");
    }
    const holder = [...byBegin.values()].find((group) => group.begin <= begin && end <= group.end);
    holder?.marks.push(mark);
  }
  /** @type {Group[]} */
  const groups = [];
  for (let position = 0; position < tokens.length; position = groups[groups.length - 1].end) {
    const kind = answer ? "function" : "plain";
    groups.push(byBegin.get(position) ?? newGroup([position, position + 1], kind, ""));
  }
  markWords(groups, result, answer);
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
 * Where repaired words stand now; one word may have become several.
 *
 * @param {Result} result
 * @returns {[number, number, Mark][]}
 */
function repairs({ tokens, repaired = [] }) {
  /** @type {[number, number, Mark][]} */
  const found = [];
  for (const { word, read_as: readAs } of repaired) {
    const parts = readAs.split(" ");
    tokens.forEach((_, begin) => {
      if (parts.every((part, offset) => tokens[begin + offset] === part)) {
        found.push([begin, begin + parts.length, { kind: "repaired", text: word }]);
      }
    });
  }
  return found;
}

/**
 * Mark the words that were guessed, overlooked or not used. Only words without a meaning of their
 * own can be overlooked or not used, so others that are spelt alike are not marked.
 *
 * @param {Group[]} groups
 * @param {Result} result
 * @param {Answer | null} answer
 */
function markWords(groups, result, answer) {
  const { tokens } = result;
  const guessed = new Map((result.guessed ?? []).map(({ word, read_as: readAs }) => [word, readAs]));
  const overlooked = new Set(answer?.overlooked);
  const unused = new Set(answer?.unused?.flatMap((unit) => unit.split(" ")));
  for (const { begin, end, kind, marks } of groups) {
    for (const token of tokens.slice(begin, end)) {
      const readAs = guessed.get(token);
      if (readAs !== undefined) marks.push({ kind: "guessed", text: readAs });
      if (kind === "function" && overlooked.has(token)) {
        marks.push({ kind: "overlooked", text: "overlooked" });
      } else if (kind === "function" && unused.has(token)) {
        marks.push({ kind: "unused", text: "without use here" });
      }
    }
  }
}
