/** Parts of a result: the sentence with its marks, the form, a node, the answers. */

import { colourClass, functionWords, primitiveText, words } from "./derivation.js";
import { element } from "./elements.js";
import { formChunks } from "./form_pieces.js";

/** @import {Answer} from "./types.js" */
/** @import {Place} from "./derivation.js" */
/** @import {Range} from "./form_difference.js" */
/** @import {Chunk} from "./form_pieces.js" */
/** @import {OwnWord} from "./own_words.js" */
/** @import {Group, Mark} from "./sentence_marks.js" */

/** Longer pieces of a form without brackets are broken at spaces, too. */
const MAX_UNBROKEN = 36;

/** @type {Record<Mark["kind"], (text: string) => string>} */
const SAID = {
  refused: (text) => text,
  repaired: (text) => `read for “${text}”`,
  guessed: (text) => `never seen, read as ${text}`,
  overlooked: (text) => text,
  unused: (text) => text,
};

/**
 * The words of a sentence, each a button that leads to the lexicon, with marks under them.
 *
 * @param {Group[]} groups
 * @param {string[]} tokens
 * @param {OwnWord[]} shown  The tokens as they were typed.
 * @param {Map<string, number>} numbers  Of primitives.
 * @param {(word: string) => void} onWord
 * @returns {HTMLLIElement[]}
 */
export function sentenceItems(groups, tokens, shown, numbers, onWord) {
  return groups.map(({ begin, end, kind, symbol, marks }) => {
    const number = numbers.get(symbol) ?? 0;
    const item = element("li", { class: `group ${kind}` });
    if (number) item.classList.add(colourClass(number));
    for (const mark of marks) item.classList.add(mark.kind);
    const line = element("span", { class: "words" });
    for (let position = begin; position < end; position += 1) {
      const word = element("button", {
        type: "button", class: "token", "data-position": position, tabindex: position ? -1 : 0,
      }, shown[position].text);
      word.addEventListener("click", () => onWord(tokens[position]));
      line.append(word);
      if (number && position === end - 1) line.append(element("span", { class: "number" }, String(number)));
      const { after } = shown[position];
      line.append(...(after ? [element("span", { class: "after" }, after)] : []), " ");
    }
    item.append(line);
    for (const mark of uniqueMarks(marks)) {
      item.append(element("small", { class: `mark ${mark.kind}` }, SAID[mark.kind](mark.text)));
    }
    return item;
  });
}

/**
 * One stop for the tabulator is enough: arrow keys go from word to word.
 *
 * @param {HTMLElement} sentence
 */
export function walkByArrows(sentence) {
  /** @param {Element} word */
  const stopAt = (word) => {
    for (const other of sentence.querySelectorAll(".token")) other.setAttribute("tabindex", "-1");
    word.setAttribute("tabindex", "0");
  };
  sentence.addEventListener("focusin", ({ target }) => stopAt(/** @type {Element} */ (target)));
  sentence.addEventListener("keydown", (event) => {
    const all = /** @type {HTMLElement[]} */ ([...sentence.querySelectorAll(".token")]);
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const targets = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 };
    const to = /** @type {Record<string, number>} */ (targets)[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  });
}

/** @param {Mark[]} marks */
function uniqueMarks(marks) {
  return [...new Map(marks.map((mark) => [mark.kind + mark.text, mark])).values()];
}

/**
 * A form, with the colour and the number of each primitive in it.
 *
 * @param {string} form
 * @param {Map<string, number>} numbers
 * @param {Range[]} differing  What the form beside it lacks.
 * @returns {HTMLElement[]}
 */
export function formElements(form, numbers, differing = []) {
  return formChunks(form, numbers, differing).map((chunks) => (
    element("span", { class: "line" }, ...chunks.flatMap(chunkNodes), " ")
  ));
}

/**
 * Pieces that stay together, and after them a place where the line may be broken.
 *
 * @param {Chunk} chunk
 * @returns {(Node | string)[]}
 */
function chunkNodes(chunk) {
  const text = chunk.map((piece) => piece.text).join("");
  const pieces = chunk.map((piece) => {
    const node = piece.number ? symbolNode(piece) : piece.text;
    return piece.differs ? element("mark", { class: "differs" }, node) : node;
  });
  // A space at the end belongs to no name; and what is long may be broken at its spaces.
  const last = pieces[pieces.length - 1];
  const space = typeof last === "string" && text.endsWith(" ") ? " " : "";
  if (space) pieces[pieces.length - 1] = /** @type {string} */ (last).trimEnd();
  const isLong = text.length > MAX_UNBROKEN && /[ .]/.test(text);
  return [element("span", { class: isLong ? "loose" : "whole" }, ...pieces), space || element("wbr")];
}

/**
 * The symbol of a primitive with its number; a long path may be broken after its dots.
 *
 * @param {{text: string, number: number}} piece
 */
function symbolNode({ text, number }) {
  const isLong = text.length > MAX_UNBROKEN;
  const parts = text.split(isLong ? /(?<=\.)/ : /$^/);
  const kind = `symbol ${isLong ? "loose" : "whole"} ${colourClass(number)}`;
  return element("span", { class: kind }, ...parts.flatMap((part) => [part, element("wbr")]).slice(0, -1),
    element("span", { class: "number" }, String(number)));
}

/**
 * All that is known of a node.
 *
 * @param {Place} place
 * @param {string[]} tokens
 * @param {Map<string, number>} numbers
 * @param {Record<string, string>} signatures  What operations take and give.
 * @returns {HTMLElement[]}
 */
export function nodeElements({ node }, tokens, numbers, signatures) {
  const [begin, end] = node.span;
  const said = functionWords(node, tokens);
  const name = node.primitive ? primitiveText(node.primitive) : node.operation ?? "";
  const signature = signatures[node.operation ?? ""];
  /** @type {[string, Node | string][]} */
  const rows = [
    ["Words", element("q", {}, words(node, tokens))],
    ["Span", `${begin} to ${end}`],
    ...(said ? [/** @type {[string, string]} */ (["Function words", said])] : []),
    ["Symbol", element("span", {}, element("code", {}, node.symbol), " ",
      element("span", { class: "hint" }, "what operations above see of this part"))],
    ["Score", node.score === null ? "none of its own" : node.score.toFixed(2)],
    ["Meaning", element("code", { class: "form" }, ...formElements(node.meaning, numbers))],
  ];
  return [
    element("h3", {}, element("span", { class: "kind" }, node.primitive ? "primitive " : "operation "),
      element("code", {}, name), ...(signature ? [element("span", { class: "signature" }, ` ${signature}`)] : [])),
    element("dl", {}, ...rows.map(([term, value]) => (
      element("div", { class: `row ${term.split(" ")[0].toLowerCase()}-row` },
        element("dt", {}, term), element("dd", {}, value))
    ))),
  ];
}

/**
 * A share such as 99.95 %, never rounded to 0 or to 100.
 *
 * @param {number} share
 */
export function percent(share) {
  const hundredfold = 100 * share;
  if (share > 0 && hundredfold < 0.01) return "< 0.01 %";
  if (share < 1 && hundredfold > 99.99) return "> 99.99 %";
  const digits = hundredfold > 99 || hundredfold < 1 ? 2 : 1;
  return `${Number(hundredfold.toFixed(digits))} %`;
}

/**
 * A bar beside the number.
 *
 * @param {number | null} probability
 * @returns {HTMLElement}
 */
export function probabilityBar(probability) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${100 * (probability ?? 0)}%`;
  const text = probability === null ? "not known" : percent(probability);
  return element("span", { class: "probability" }, bar, element("span", { class: "percent" }, text));
}

/**
 * The answers to choose from.
 *
 * @param {Answer[]} answers
 * @param {number} chosen
 * @param {string} name  Of the group of radio buttons.
 * @param {(rank: number) => void} onChoose
 * @returns {HTMLElement[]}
 */
export function answerChoices(answers, chosen, name, onChoose) {
  return answers.map((answer, rank) => {
    const radio = element("input", { type: "radio", name, value: rank, checked: rank === chosen });
    radio.addEventListener("change", () => onChoose(rank));
    const text = answer.answer_text ? [element("span", { class: "short-answer" }, answer.answer_text)] : [];
    return element("label", { class: "choice" }, radio, probabilityBar(answer.probability),
      element("code", { class: "form" }, ...formElements(answer.form, new Map())), ...text);
  });
}
