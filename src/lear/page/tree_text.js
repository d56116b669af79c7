/** A derivation as text: nested lists for people, `forest` for LaTeX. */

import { functionWords, primitiveText, words } from "./derivation.js";
import { element } from "./elements.js";

/** @import {Place} from "./derivation.js" */

/**
 * Nested lists, which screen readers can walk through.
 *
 * @param {Place[]} all
 * @param {string[]} tokens
 * @returns {HTMLUListElement}
 */
export function outline(all, tokens) {
  const top = element("ul");
  const lists = new Map([[/** @type {Place | null} */ (null), top]]);
  for (const place of all) {
    const { node } = place;
    const item = element("li");
    if (node.primitive) {
      item.append(words(node, tokens), " = ", element("code", {}, primitiveText(node.primitive)));
    } else {
      const said = functionWords(node, tokens);
      item.append(element("code", {}, node.operation ?? ""), ...(said ? [" ", element("em", {}, said)] : []));
      const inside = element("ul");
      item.append(inside);
      lists.set(place, inside);
    }
    lists.get(place.parent)?.append(item);
  }
  return top;
}

/**
 * For LaTeX's package `forest`: the same text as `lear parse --format latex` prints.
 *
 * @param {Place[]} all
 * @param {string[]} tokens
 * @returns {string}
 */
export function latex(all, tokens) {
  /** @type {Map<Place, string>} */
  const texts = new Map();
  for (const place of all.toReversed()) {
    const { node } = place;
    if (node.primitive) {
      const primitive = `\\textit{${escapeTex(primitiveText(node.primitive))}}`;
      texts.set(place, `[{${escapeTex(words(node, tokens))}} [{${primitive}}]]`);
    } else {
      const said = functionWords(node, tokens);
      const label = escapeTex(node.operation ?? "") + (said ? ` \\emph{${escapeTex(said)}}` : "");
      const inside = place.children.map((child) => texts.get(child)).join(" ");
      texts.set(place, `[{${label}} ${inside}]`);
    }
  }
  return `\\begin{forest}\n${texts.get(all[0])}\n\\end{forest}\n`;
}

/** @type {Record<string, string>} */
const TEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
};

/** @param {string} text */
function escapeTex(text) {
  return text.replace(/[&%$#_{}\\~^<>|]/g, (letter) => TEX[letter] ?? `\\${letter}`);
}
