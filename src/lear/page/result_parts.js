/** Parts of a result: the sentence with its marks, the form, a node, the answers. */

import { colourClass, functionWords, primitiveText, words } from "./derivation.js";
import { element } from "./elements.js";
import { formLines, formPieces } from "./form_pieces.js";

/** @import {Answer} from "./types.js" */
/** @import {Place} from "./derivation.js" */
/** @import {Group, Mark} from "./sentence_marks.js" */

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
 * @param {Map<string, number>} numbers  Of primitives.
 * @param {(word: string) => void} onWord
 * @returns {HTMLLIElement[]}
 */
export function sentenceItems(groups, tokens, numbers, onWord) {
  return groups.map(({ begin, end, kind, symbol, marks }) => {
    const number = numbers.get(symbol) ?? 0;
    const item = element("li", { class: `group ${kind}` });
    if (number) item.classList.add(colourClass(number));
    for (const mark of marks) item.classList.add(mark.kind);
    const line = element("span", { class: "words" });
    for (let position = begin; position < end; position += 1) {
      const word = element("button", { type: "button", class: "token", "data-position": position }, tokens[position]);
      word.addEventListener("click", () => onWord(tokens[position]));
      line.append(word, " ");
    }
    if (number) line.append(element("span", { class: "number" }, String(number)));
    item.append(line);
    for (const mark of uniqueMarks(marks)) {
      item.append(element("small", { class: `mark ${mark.kind}` }, SAID[mark.kind](mark.text)));
    }
    return item;
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
 * @returns {HTMLElement[]}
 */
export function formElements(form, numbers) {
  return formLines(form).map((line) => (
    element("span", { class: "line" }, ...formPieces(line, numbers).map(({ text, number }) => (
      number
        ? element("span", { class: `symbol ${colourClass(number)}` }, text, element("span", { class: "number" }, String(number)))
        : text
    )), " ")
  ));
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
    ["Symbol", element("code", {}, node.symbol)],
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
      element("code", {}, answer.form), ...text);
  });
}
