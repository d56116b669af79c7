/** What came of one sentence: everything under the form that asks for it. */

import { places, primitiveNumbers } from "./derivation.js";
import { pngOf, save, standaloneSvg } from "./downloads.js";
import { element, fromTemplate, part } from "./elements.js";
import { ownWords } from "./own_words.js";
import { Player } from "./player.js";
import {
  answerChoices, formElements, nodeElements, probabilityBar, sentenceItems, walkByArrows,
} from "./result_parts.js";
import { marksOf, sentenceGroups } from "./sentence_marks.js";
import { latex, outline } from "./tree_text.js";
import { TreeView } from "./tree_view.js";

/** @import {Answer, ModelCard, Result, Shown} from "./types.js" */
/** @import {Place} from "./derivation.js" */
/** @import {Range} from "./form_difference.js" */

/**
 * What a result needs of the page around it.
 *
 * @typedef {object} Surroundings
 * @property {(model: string, word: string) => void} lookUp
 * @property {() => void} onShown  Another answer is looked at, another step, or another node.
 * @property {(() => void) | null} overlook  Ask again, and overlook unknown words; null if they are.
 * @property {(text: string, what: string) => void} copy  Copy a text, and say so.
 * @property {(text: string) => void} tell  Say something in the status line.
 * @property {() => Map<string, number>} numbers  Of primitives in a sentence to compare with.
 */

let numViews = 0;

export class ResultView {
  /**
   * @param {Result} result
   * @param {ModelCard} card  Of the model that was asked.
   * @param {Shown} shown  What to show of it.
   * @param {Surroundings} page
   */
  constructor(result, card, shown, page) {
    numViews += 1;
    this.result = result;
    this.card = card;
    this.page = page;
    /** @type {Answer[]} */
    this.answers = answersOf(result);
    this.rank = Math.min(shown.rank, Math.max(0, this.answers.length - 1));
    this.step = shown.step;
    this.node = shown.node;
    /** @type {Range[]} */
    this.differing = [];
    this.root = fromTemplate("result");
    this.root.setAttribute("aria-label", `${card.name}: ${result.text}`);
    const keys = this.part("keys");
    keys.id = `keys-${numViews}`;
    this.radioName = `answers-${numViews}`;
    this.tree = new TreeView(this.part("drawing"), keys.id, (place) => this.showNode(place), () => this.keep());
    this.player = new Player(this.root, (step) => this.onStep(step), () => this.keep());
    this.listen();
  }

  /** @param {string} name */
  part(name) {
    return part(this.root, name);
  }

  listen() {
    walkByArrows(this.part("sentence"));
    this.part("overlook").addEventListener("click", () => this.page.overlook?.());
    this.part("more").addEventListener("click", () => this.showWholeAnswer(true));
    this.part("smaller").addEventListener("click", () => this.tree.zoom(-1));
    this.part("larger").addEventListener("click", () => this.tree.zoom(1));
    this.part("fit").addEventListener("click", () => this.tree.fit());
    this.part("copy-form").addEventListener("click", () => this.page.copy(this.answers[this.rank].form, "The form"));
    for (const format of ["svg", "png", "latex", "json"]) {
      this.part(format).addEventListener("click", () => (
        this.download(format).catch((error) => this.page.tell(`There is no file: ${error.message}`))
      ));
    }
  }

  /**
   * Show the answer, or why there is none; the result must be in the page already, as drawing
   * asks how much room there is.
   *
   * @param {boolean} grows  Whether the tree is shown growing.
   */
  show(grows) {
    const answer = this.answers[this.rank] ?? null;
    this.all = answer?.derivation ? places(answer.derivation) : [];
    this.numbers = primitiveNumbers(this.all, this.page.numbers());
    const { tokens } = this.result;
    const groups = sentenceGroups(this.result, answer, this.all);
    const words = ownWords(this.result.text, tokens, marksOf(this.result, answer));
    const onWord = (/** @type {string} */ word) => this.page.lookUp(this.card.name, word);
    this.part("sentence").replaceChildren(
      ...(tokens.length ? sentenceItems(groups, tokens, words, this.numbers, onWord) : [beginning(this.result.text)]),
    );
    this.showAnswer(answer);
    for (const name of ["tree-card", "form-card"]) this.part(name).hidden = !answer;
    this.part("nbest-card").hidden = this.answers.length < 2;
    this.root.classList.toggle("refusal", !answer);
    if (!answer) return;
    this.showForm();
    this.part("outline").replaceChildren(outline(this.all, tokens));
    this.part("nbest").setAttribute("aria-label", "Answers by probability");
    this.part("nbest").replaceChildren(
      ...answerChoices(this.answers, this.rank, this.radioName, (rank) => this.choose(rank)),
    );
    if (!this.all.length) return;
    this.tree.show(this.all, tokens, this.numbers);
    const chosen = this.all.find(({ node }) => node.order === this.node);
    this.player.load(this.all.length, grows && !chosen, this.step);
    if (chosen && chosen.node.order < this.player.step) this.tree.select(chosen);
  }

  showForm() {
    const form = this.answers[this.rank]?.form ?? "";
    this.part("form").replaceChildren(...formElements(form, this.numbers ?? new Map(), this.differing));
  }

  /** @param {Range[]} ranges  What the form on the other side lacks. */
  markDifferences(ranges) {
    this.differing = ranges;
    this.showForm();
  }

  /** @param {string} which  This side, where there are two; else nothing. */
  setTitle(which) {
    this.part("title").hidden = !which;
    this.part("title").replaceChildren(
      element("h2", {}, element("span", { class: "which" }, `${which}: `), this.card.name),
      element("p", {}, this.result.text),
    );
  }

  /** @param {Answer | null} answer */
  showAnswer(answer) {
    const title = this.part("answer-title");
    const text = this.part("answer");
    const sure = this.part("sure");
    this.part("answer-card").hidden = false;
    const isUnknown = !answer && this.result.refused?.some(({ why }) => why === "unknown");
    this.part("overlook").hidden = !isUnknown || !this.page.overlook;
    if (!answer) {
      title.textContent = "No answer";
      text.textContent = this.result.reason ?? "";
      sure.replaceChildren();
      this.showWholeAnswer(false);
      return;
    }
    title.textContent = answer.answer_text || answer.error ? "Answer" : "Probability";
    text.textContent = answer.answer_text ?? (answer.error ? `It cannot be run: ${answer.error}` : "");
    text.classList.toggle("failed", !answer.answer_text);
    text.hidden = !text.textContent;
    sure.replaceChildren(probabilityBar(answer.probability), element("span", {}, "sure of this form"));
    this.showWholeAnswer(false);
  }

  /** @param {boolean} isWhole  Else the beginning of a long answer, and a button. */
  showWholeAnswer(isWhole) {
    const text = this.part("answer");
    text.classList.toggle("clamped", !isWhole);
    this.part("more").hidden = isWhole || text.scrollHeight <= text.clientHeight + 1;
    if (isWhole) text.focus();
  }

  /** @param {number} rank */
  choose(rank) {
    this.rank = rank;
    this.step = null;
    this.node = null;
    this.show(false);
    /** @type {HTMLElement | null} */ (this.root.querySelector(".nbest input:checked"))?.focus();
    this.page.onShown();
  }

  /** Keep which step and which node are looked at. */
  keep() {
    const { step, numSteps, timer } = this.player;
    const { selected } = this.tree;
    this.step = timer || step === numSteps ? null : step;
    this.node = selected && selected.node.order < step ? selected.node.order : null;
    this.page.onShown();
  }

  /** @returns {Shown} */
  get shown() {
    return { rank: this.rank, step: this.step, node: this.node };
  }

  /** @param {number} step */
  onStep(step) {
    this.tree.setStep(step);
    const newest = this.all?.find(({ node }) => node.order === step - 1);
    if (!this.tree.selected || this.tree.selected.node.order >= step || this.player.timer) {
      this.showNode(step < this.player.numSteps ? newest ?? null : null);
    }
  }

  /** @param {Place | null} place  The one that is looked at; none: the newest one. */
  showNode(place) {
    const shown = place ?? this.all?.find(({ node }) => node.order === this.player.step - 1);
    // That the whole tree is over the whole sentence needs no telling.
    const isPart = shown && (place || this.player.step < this.player.numSteps);
    const [begin, end] = isPart ? shown.node.span : [0, 0];
    for (const word of this.root.querySelectorAll(".token")) {
      const position = Number(word.getAttribute("data-position"));
      word.classList.toggle("in-span", begin <= position && position < end);
    }
    const { tokens } = this.result;
    this.part("node").replaceChildren(
      ...(shown
        ? nodeElements(shown, tokens, this.numbers ?? new Map(), this.card.operations)
        : [element("p", {}, "The sentence alone: nothing is put together yet.")]),
    );
  }

  /** @param {string} format */
  async download(format) {
    const { svg } = this.tree;
    if (!svg || !this.all) return;
    this.player.goTo(this.player.numSteps);
    const { tokens } = this.result;
    const name = `${this.card.name}-${tokens.slice(0, 6).join("-").replace(/[^\w-]+/g, "")}`;
    if (format === "latex") save(`${name}.tex`, latex(this.all, tokens));
    if (format === "svg") save(`${name}.svg`, standaloneSvg(svg, tokens.join(" ")), "image/svg+xml");
    if (format === "png") save(`${name}.png`, await pngOf(standaloneSvg(svg, tokens.join(" "))));
    if (format === "json") {
      const record = { model: this.card.name, text: this.result.text, tokens, ...this.answers[this.rank] };
      save(`${name}.json`, `${JSON.stringify(record, null, 2)}\n`, "application/json");
    }
  }

  /** The result in one line, as a screen reader says it when it comes. */
  get summary() {
    const answer = this.answers[this.rank];
    if (!answer) return `No answer: ${this.result.reason}`;
    const said = answer.answer_text ? `Answer: ${answer.answer_text}. ` : "";
    return `${said}Form: ${answer.form}`;
  }
}

/**
 * All answers, best first; none if the sentence was refused.
 *
 * @param {Result} result
 * @returns {Answer[]}
 */
export function answersOf(result) {
  if (result.form === null) return [];
  return result.nbest.length ? result.nbest : [{ ...result, form: result.form }];
}

/**
 * The beginning of a text that was not even cut into words.
 *
 * @param {string} text
 */
function beginning(text) {
  const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return element("li", { class: "group plain" }, shown);
}
