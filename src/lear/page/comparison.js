/** Two results side by side: what the second one begins with, and how their forms differ. */

import { element } from "./elements.js";
import { formDifferences } from "./form_difference.js";
import { modelCard } from "./question_fields.js";

/** @import {ModelSummary, Question} from "./types.js" */
/** @import {ResultView} from "./result_view.js" */

/**
 * What to compare a question with: another model of the same domain, or another sentence.
 *
 * @param {Question} first
 * @param {ModelSummary[]} models
 * @returns {Promise<Question>}
 */
export async function partner(first, models) {
  const domain = models.find(({ name }) => name === first.model)?.domain;
  const other = models.find((model) => model.domain === domain && model.name !== first.model);
  if (other) return { model: other.name, text: first.text };
  const { examples } = await modelCard(first.model);
  const others = examples.filter(({ text }) => text !== first.text);
  const example = others.find(({ kind }) => kind === "plain") ?? others[0];
  return { model: first.model, text: example?.text ?? first.text };
}

/** Stands where the second result will be. */
export function waitingForSecond() {
  return element("div", { class: "card waiting" },
    element("h2", {}, "Second"),
    element("p", {}, "Choose a model and a sentence for the second side, then press Parse."));
}

/**
 * Mark in both forms where they differ, and say in a sentence what the comparison shows; empty if
 * there is nothing to compare.
 *
 * @param {ResultView[]} views
 */
export function compare(views) {
  if (views.length < 2) return "";
  const [one, other] = views.map(({ answers, rank }) => answers[rank]);
  if (!one && !other) return "Neither side has an answer.";
  if (!one || !other) return `Only the ${one ? "first" : "second"} side has an answer.`;
  const differences = formDifferences(one.form, other.form);
  views.forEach((view, side) => view.markDifferences(differences[side]));
  if (one.form === other.form) return "Both sides have the same form.";
  const isSame = one.answer_text && one.answer_text === other.answer_text;
  const answers = isSame ? ", and come to the same answer" : "";
  if (!differences.flat().length) return `The forms differ${answers}: only in order and variables.`;
  return `The forms differ${answers}. What only one of them has is marked.`;
}
