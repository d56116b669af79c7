/** The words of a sentence as they were typed: with their capitals, and what stood between them. */

/** @import {WordMark} from "./types.js" */

/** @typedef {{text: string, after: string}} OwnWord  After it: punctuation up to the next word. */

/**
 * The tokens as they stand in the text; as they are, if they cannot all be found there in order.
 *
 * @param {string} text
 * @param {string[]} tokens
 * @param {WordMark[]} marks  Of repaired words: they stand in the text as they were typed.
 * @returns {OwnWord[]}
 */
export function ownWords(text, tokens, marks) {
  const repaired = new Map(marks.filter(({ kind }) => kind === "repaired").map((mark) => [mark.span[0], mark]));
  /** @type {OwnWord[]} */
  const found = [];
  let place = 0;
  while (found.length < tokens.length) {
    const mark = repaired.get(found.length);
    const typed = mark ? mark.text : tokens[found.length];
    const begin = wordPlace(text, place, typed);
    if (begin < 0) return tokens.map((token) => ({ text: token, after: "" }));
    const between = text.slice(place, begin).trim();
    if (found.length) found[found.length - 1].after = between;
    place = begin + typed.length;
    // What was read in place of a misspelt word is shown; its mark says what was typed.
    if (mark) for (const token of tokens.slice(...mark.span)) found.push({ text: token, after: "" });
    else found.push({ text: text.slice(begin, place), after: "" });
  }
  if (/[\p{L}\p{N}]/u.test(text.slice(place))) return tokens.map((token) => ({ text: token, after: "" }));
  if (found.length) found[found.length - 1].after = text.slice(place).trim();
  return found;
}

/**
 * Where the next word stands, if nothing but marks and spaces is before it; else -1.
 *
 * @param {string} text
 * @param {number} from
 * @param {string} word
 */
function wordPlace(text, from, word) {
  for (let place = from; place + word.length <= text.length; place += 1) {
    if (text.slice(place, place + word.length).toLowerCase() === word.toLowerCase()) return place;
    if (/[\p{L}\p{N}]/u.test(text[place])) return -1;
  }
  return -1;
}
