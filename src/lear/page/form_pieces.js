/** A form cut into pieces, so that each primitive in it can have its colour. */

/**
 * A piece of a form; number is that of its primitive, 0 if it is none.
 *
 * @typedef {{text: string, number: number}} Piece
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
