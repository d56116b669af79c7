/** What the lexicon says of a word, in a dialog of its own. */

import { byId, element } from "./elements.js";
import { lookUp } from "./service.js";
import { troubleText } from "./trouble.js";

/** @import {LexiconAnswer} from "./types.js" */

/** Units that are listed at most. */
const MAX_UNITS = 40;

/**
 * Ask, and show the answer.
 *
 * @param {string} model
 * @param {string} word
 */
export async function showLexicon(model, word) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("lexicon"));
  byId("lexicon-title").textContent = `“${word}” in the lexicon of ${model}`;
  byId("lexicon-body").replaceChildren(element("p", {}, "Looking it up …"));
  dialog.showModal();
  try {
    byId("lexicon-body").replaceChildren(...lexiconElements(await lookUp(model, word)));
  } catch (error) {
    byId("lexicon-body").replaceChildren(element("p", { class: "trouble" }, troubleText(error)));
  }
}

/**
 * @param {LexiconAnswer} answer
 * @returns {HTMLElement[]}
 */
function lexiconElements({ units, function_word: functionWord, suggestion }) {
  const said = [];
  if (functionWord !== null) {
    said.push(element("p", {}, `A function word in ${functionWord.toLocaleString("en")} training rows.`));
  }
  if (!units.length && functionWord === null) {
    const hint = suggestion ? ` Did you mean “${suggestion}”?` : "";
    said.push(element("p", {}, `No training row has this word.${hint}`));
  }
  if (units.length) {
    const rows = units.slice(0, MAX_UNITS).flatMap(({ unit, entries }) => entries.map((entry) => (
      element("tr", {},
        element("td", {}, unit),
        element("td", {}, `${entry.type} `, element("code", {}, entry.symbol),
          entry.feature ? ` [${entry.feature}]` : ""),
        element("td", { class: "count" }, entry.count.toLocaleString("en")))
    )));
    const head = ["unit", "stands for", "training rows"].map((title) => element("th", { scope: "col" }, title));
    said.push(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
  }
  if (units.length > MAX_UNITS) {
    said.push(element("p", {}, `And ${units.length - MAX_UNITS} units more.`));
  }
  return said;
}
