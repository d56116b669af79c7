/** A form cut into pieces, so that each primitive in it can have its colour, and no name is broken. */

/** @import {Range} from "./form_difference.js" */

/**
 * A piece of a form; number is that of its primitive, 0 if it is none.
 *
 * @typedef {{text: string, number: number}} Piece
 */

/**
 * Pieces of a line that are not torn apart, each with whether the other form lacks it.
 *
 * @typedef {(Piece & {differs: boolean})[]} Chunk
 */

/**
 * The lines of a form: a conjunct a line, as COGS and SPARQL write conjunctions. Joined by spaces
 * they are the form again.
 *
 * @param {string} form
 * @returns {string[]}
 */
export function formLines(form) {
  return form.split(form.includes("{") ? / (?=})|(?<=[{]) |(?<= \.) / : / (?=AND )|(?<=;) /);
}

/**
 * The pieces of a text, of which symbols of primitives are pieces of their own. Symbols count only
 * as whole names, the longest first: `capital` is no part of `capital_1`.
 *
 * @param {string} text
 * @param {Map<string, number>} numbers  Of the symbols.
 * @returns {Piece[]}
 */
export function formPieces(text, numbers) {
  const symbols = [...numbers.keys()].filter(Boolean).toSorted((a, b) => b.length - a.length);
  if (!symbols.length) return [{ text, number: 0 }];
  const alternatives = symbols.map((symbol) => symbol.replace(/[^\w]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\w.])(?:${alternatives})(?![\\w])`, "g");
  /** @type {Piece[]} */
  const pieces = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > done) pieces.push({ text: text.slice(done, match.index), number: 0 });
    pieces.push({ text: match[0], number: numbers.get(match[0]) ?? 0 });
    done = match.index + match[0].length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), number: 0 });
  return pieces;
}

/**
 * The lines of a form, cut where a line may be broken: after `(`, `,` and `.` only.
 *
 * @param {string} form
 * @param {Map<string, number>} numbers  Of the symbols.
 * @param {Range[]} ranges  What the other form lacks.
 * @returns {Chunk[][]}
 */
export function formChunks(form, numbers, ranges) {
  let begin = 0;
  return formLines(form).map((line) => {
    /** @type {Chunk[]} */
    const chunks = [[]];
    for (const { text, number } of formPieces(line, numbers)) {
      const parts = number ? [text] : text.split(/(?<=[(,.]\s*)(?![(,.\s)])/);
      parts.forEach((part, index) => {
        if (index) chunks.push([]);
        chunks[chunks.length - 1].push(...cut(part, begin, number, ranges));
        begin += part.length;
      });
      if (!number && /[(,.]\s*$/.test(text)) chunks.push([]);
    }
    begin += 1; // the space between lines
    return chunks.filter((chunk) => chunk.length);
  });
}

/**
 * A text cut where ranges begin and end; the symbol of a primitive stays whole.
 *
 * @param {string} text
 * @param {number} begin  Among the characters of the form.
 * @param {number} number
 * @param {Range[]} ranges
 * @returns {Chunk}
 */
function cut(text, begin, number, ranges) {
  const end = begin + text.length;
  const touching = ranges.filter(([from, to]) => from < end && begin < to);
  if (number) return [{ text, number, differs: touching.length > 0 }];
  const inside = touching.flat().filter((edge) => begin < edge && edge < end);
  const edges = [...new Set([begin, ...inside, end])].toSorted((a, b) => a - b);
  return edges.slice(1).map((to, index) => ({
    text: text.slice(edges[index] - begin, to - begin),
    number,
    differs: touching.some(([from, until]) => from <= edges[index] && to <= until),
  })).filter((piece) => piece.text);
}
