/** The state of the page as a link: what stands after the # never reaches a server or its logs. */

/** @import {PageState, Shown} from "./types.js" */

export const MAX_NBEST = 10;
/** More steps than any tree has. */
const MAX_STEP = 100_000;

/** @returns {Shown} The best answer, with its whole tree. */
export function usualView() {
  return { rank: 0, step: null, node: null };
}

/** @returns {PageState} */
export function emptyState() {
  return {
    questions: [{ model: "", text: "" }],
    nbest: 3,
    unknownWords: "refuse",
    minProbability: 0,
    shown: [usualView(), usualView()],
  };
}

/** @param {PageState} state */
export function hasUsualSettings(state) {
  const usual = emptyState();
  return state.nbest === usual.nbest && state.unknownWords === usual.unknownWords
    && state.minProbability === usual.minProbability;
}

/**
 * @param {PageState} state
 * @returns {string} Beginning with #.
 */
export function toHash(state) {
  const fields = new URLSearchParams();
  state.questions.forEach(({ model, text }, side) => {
    const suffix = side ? "2" : "";
    fields.set(`model${suffix}`, model);
    fields.set(`text${suffix}`, text);
    const { rank, step, node } = state.shown[side];
    if (rank) fields.set(`rank${suffix}`, String(rank + 1));
    if (step !== null) fields.set(`step${suffix}`, String(step));
    if (node !== null) fields.set(`node${suffix}`, String(node));
  });
  const usual = emptyState();
  if (state.nbest !== usual.nbest) fields.set("nbest", String(state.nbest));
  if (state.unknownWords !== usual.unknownWords) fields.set("unknown_words", state.unknownWords);
  if (state.minProbability) fields.set("min_probability", String(state.minProbability));
  return `#${fields}`;
}

/**
 * Anybody can write a link, so whatever does not fit is taken as if it were not there.
 *
 * @param {string} hash
 * @returns {PageState}
 */
export function fromHash(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const state = emptyState();
  state.questions = ["", "2"]
    .filter((suffix) => !suffix || fields.has(`text${suffix}`))
    .map((suffix) => ({
      model: fields.get(`model${suffix}`) ?? "",
      text: fields.get(`text${suffix}`) ?? "",
    }));
  state.shown = ["", "2"].map((suffix) => ({
    rank: numberIn(fields.get(`rank${suffix}`), 1, MAX_NBEST, 1) - 1,
    step: numberIn(fields.get(`step${suffix}`), 0, MAX_STEP, null),
    node: numberIn(fields.get(`node${suffix}`), 0, MAX_STEP, null),
  }));
  state.nbest = numberIn(fields.get("nbest"), 1, MAX_NBEST, state.nbest);
  if (fields.get("unknown_words") === "overlook") state.unknownWords = "overlook";
  const share = Number(fields.get("min_probability"));
  if (share > 0 && share <= 1) state.minProbability = share;
  return state;
}

/**
 * @template {number | null} Otherwise
 * @param {string | null} text
 * @param {number} least
 * @param {number} most
 * @param {Otherwise} otherwise
 * @returns {number | Otherwise}
 */
function numberIn(text, least, most, otherwise) {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= least && number <= most ? number : otherwise;
}
