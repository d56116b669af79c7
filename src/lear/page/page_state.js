/** The state of the page as a link: what stands after the # never reaches a server or its logs. */

/** @import {PageState} from "./types.js" */

export const MAX_NBEST = 10;

/** @returns {PageState} */
export function emptyState() {
  return {
    questions: [{ model: "", text: "" }],
    nbest: 3,
    unknownWords: "refuse",
    minProbability: 0,
    ranks: [0, 0],
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
    if (state.ranks[side]) fields.set(`rank${suffix}`, String(state.ranks[side] + 1));
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
  state.ranks = ["rank", "rank2"].map((name) => numberIn(fields.get(name), 1, MAX_NBEST, 1) - 1);
  state.nbest = numberIn(fields.get("nbest"), 1, MAX_NBEST, state.nbest);
  if (fields.get("unknown_words") === "overlook") state.unknownWords = "overlook";
  const share = Number(fields.get("min_probability"));
  if (share > 0 && share <= 1) state.minProbability = share;
  return state;
}

/**
 * @param {string | null} text
 * @param {number} least
 * @param {number} most
 * @param {number} otherwise
 */
function numberIn(text, least, most, otherwise) {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= least && number <= most ? number : otherwise;
}
