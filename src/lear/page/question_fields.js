/** One side of the form: a model, a sentence, and examples to pick. */

import { element, fromTemplate, part } from "./elements.js";
import { describeModel } from "./service.js";
import { troubleText } from "./trouble.js";

/** @import {ModelCard, ModelSummary, Question} from "./types.js" */

/** @type {Record<string, string>} What kinds of examples are called; other kinds keep their names. */
const KINDS = {
  plain: "a simple one",
  deep: "deep recursion",
  unknown: "unknown word",
  ambiguous: "ambiguous",
  repaired: "misspelt",
  refused: "no sentence",
  training: "from training",
};
/** @type {Map<string, Promise<ModelCard>>} */
const cards = new Map();

/**
 * What is known of a model; it is asked for once.
 *
 * @param {string} name
 * @returns {Promise<ModelCard>}
 */
export function modelCard(name) {
  const known = cards.get(name) ?? describeModel(name);
  cards.set(name, known);
  known.catch(() => cards.delete(name)); // it may be there next time
  return known;
}

export class QuestionFields {
  /**
   * @param {ModelSummary[]} models
   * @param {string} title
   * @param {() => void} onPick  An example was picked.
   */
  constructor(models, title, onPick) {
    this.root = fromTemplate("side");
    this.onPick = onPick;
    this.models = models;
    this.model = /** @type {HTMLSelectElement} */ (part(this.root, "model"));
    this.text = /** @type {HTMLInputElement} */ (part(this.root, "text"));
    const legend = this.root.querySelector("legend");
    if (legend) legend.textContent = title;
    this.model.append(...models.map(({ name }) => element("option", { value: name }, name)));
    this.model.addEventListener("change", () => this.showModel());
  }

  /** @returns {Question} */
  get question() {
    return { model: this.model.value, text: this.text.value };
  }

  /** @param {Question} question */
  set question({ model, text }) {
    const isThere = this.models.some(({ name }) => name === model);
    if (!isThere) this.model.prepend(element("option", { value: "" }, "choose …"));
    this.model.value = isThere ? model : "";
    this.text.value = text;
    this.showModel();
  }

  async showModel() {
    const name = this.model.value;
    const summary = this.models.find((model) => model.name === name);
    if (!summary) return;
    part(this.root, "description").textContent = summary?.description ?? "";
    /** @type {ModelCard["examples"]} */
    let examples = [];
    try {
      ({ examples } = await modelCard(name));
    } catch (error) {
      part(this.root, "description").textContent = `No examples. ${troubleText(error)}`;
    }
    if (name !== this.model.value) return; // another one was chosen meanwhile
    this.text.placeholder = examples.length ? "Type a sentence, or pick one below" : "Type a sentence";
    part(this.root, "examples").replaceChildren(...examples.map(({ kind, text }) => {
      const button = element("button", { type: "button", class: "example" },
        element("b", {}, KINDS[kind] ?? kind), " ", element("span", {}, text));
      button.addEventListener("click", () => {
        this.text.value = text;
        this.onPick();
      });
      return element("li", {}, button);
    }));
  }
}
