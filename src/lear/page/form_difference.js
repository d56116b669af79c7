/** Where two forms differ: whole conjuncts, or names within forms that have none. */

import { formLines } from "./form_pieces.js";

/** @typedef {[number, number]} Range  Characters of a form, half-open. */
/** @typedef {{begin: number, end: number, key: string}} Part  What has the same key is the same. */

/** Forms with more pairs of names than this are not compared name by name. */
const MAX_PAIRS = 4_000_000;

/**
 * What each of two forms has that the other one has not. Conjuncts may stand in any order, and
 * the numbers of variables tell nothing: they come of places in the sentence.
 *
 * @param {string} one
 * @param {string} other
 * @returns {[Range[], Range[]]}
 */
export function formDifferences(one, other) {
  const [lines, otherLines] = [conjuncts(one), conjuncts(other)];
  if (lines.length > 1 || otherLines.length > 1) {
    return [missing(lines, otherLines), missing(otherLines, lines)];
  }
  return namesApart(names(one), names(other));
}

/**
 * @param {string} form
 * @returns {Part[]}
 */
function conjuncts(form) {
  const called = variableNames(form);
  let begin = 0;
  return formLines(form).map((line) => {
    const part = { begin, end: begin + line.length, key: conjunctKey(line, called) };
    begin = part.end + 1;
    return part;
  });
}

/**
 * @param {string} line
 * @param {Map<string, string>} called
 */
function conjunctKey(line, called) {
  const bare = line.replace(/^AND | [;.]$/g, "");
  return bare.replace(/x _ \d+/g, (variable) => called.get(variable) ?? variable);
}

/**
 * What each variable of COGS stands for: the word that first says something of it.
 *
 * @param {string} form
 */
function variableNames(form) {
  /** @type {Map<string, string>} */
  const called = new Map();
  for (const [, word, variable] of form.matchAll(/(\w+)(?: \. \w+)* \( (x _ \d+)/g)) {
    if (!called.has(variable)) called.set(variable, word);
  }
  return called;
}

/**
 * @param {Part[]} parts
 * @param {Part[]} others
 * @returns {Range[]}
 */
function missing(parts, others) {
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const { key } of others) left.set(key, (left.get(key) ?? 0) + 1);
  return parts.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  }).map(({ begin, end }) => [begin, end]);
}

/**
 * @param {string} form
 * @returns {Part[]}
 */
function names(form) {
  return [...form.matchAll(/'[^']*'|[\w?]+|[^\w\s]/g)].map(({ 0: key, index }) => (
    { begin: index, end: index + key.length, key }
  ));
}

/**
 * The names outside of a longest common sequence.
 *
 * @param {Part[]} one
 * @param {Part[]} other
 * @returns {[Range[], Range[]]}
 */
function namesApart(one, other) {
  const [length, otherLength] = [one.length, other.length];
  if (length * otherLength > MAX_PAIRS) return [[], []];
  const width = otherLength + 1;
  const common = new Uint16Array((length + 1) * width); // from here to the ends
  for (let i = length - 1; i >= 0; i -= 1) {
    for (let j = otherLength - 1; j >= 0; j -= 1) {
      common[i * width + j] = one[i].key === other[j].key
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  /** @type {Part[][]} */
  const apart = [[], []];
  let [i, j] = [0, 0];
  while (i < length || j < otherLength) {
    if (i < length && j < otherLength && one[i].key === other[j].key) [i, j] = [i + 1, j + 1];
    else if (j >= otherLength || (i < length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      apart[0].push(one[i]);
      i += 1;
    } else {
      apart[1].push(other[j]);
      j += 1;
    }
  }
  return [ranges(apart[0]), ranges(apart[1])];
}

/**
 * Names, without the brackets around them where names differ at all.
 *
 * @param {Part[]} parts
 * @returns {Range[]}
 */
function ranges(parts) {
  const named = parts.filter(({ key }) => /[\w?']/.test(key));
  return (named.length ? named : parts).map(({ begin, end }) => [begin, end]);
}
