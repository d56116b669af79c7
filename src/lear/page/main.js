/** The page: a form that asks, one or two results, and a link that brings both back. */

import { byId, element } from "./elements.js";
import { showLexicon } from "./lexicon_dialog.js";
import { emptyState, fromHash, hasUsualSettings, toHash } from "./page_state.js";
import { QuestionFields, modelCard } from "./question_fields.js";
import { ResultView } from "./result_view.js";
import { ServiceError, listModels, parse, useToken } from "./service.js";
import { followTheme } from "./theme.js";

/** @import {ModelSummary, Question} from "./types.js" */

const TITLES = ["First", "Second"];

class Page {
  constructor() {
    /** @type {ModelSummary[]} */
    this.models = [];
    this.state = emptyState();
    /** @type {QuestionFields[]} */
    this.sides = [];
    /** @type {ResultView[]} */
    this.views = [];
    this.request = new AbortController();
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    byId("compare").addEventListener("click", () => this.toggleComparison());
    byId("copy-link").addEventListener("click", () => this.copy(location.href, "The link to what you see"));
    window.addEventListener("hashchange", () => this.start());
  }

  /** Begin; again, if there is another link, or if the service wanted a token first. */
  async start() {
    try {
      this.models = usualFirst(await listModels());
      byId("trouble").hidden = true;
      await this.restore();
    } catch (error) {
      this.showTrouble(error);
    }
  }

  /** Show what the link says. */
  async restore() {
    this.state = fromHash(location.hash);
    this.setQuestions(this.state.questions);
    field("nbest").value = String(this.state.nbest);
    field("unknown-words").value = this.state.unknownWords;
    field("min-probability").value = String(Number((100 * this.state.minProbability).toFixed(6)));
    if (!hasUsualSettings(this.state)) byId("settings").setAttribute("open", "");
    await (this.state.questions[0].text.trim() ? this.ask() : this.showExample());
  }

  /** Whoever comes without a sentence sees one at once. */
  async showExample() {
    const [side] = this.sides;
    const { examples } = await modelCard(side.question.model);
    if (!examples.length || side.text.value) return;
    side.text.value = examples[0].text;
    this.state.questions = [side.question];
    history.replaceState(null, "", toHash(this.state));
    await this.ask();
  }

  /** @param {Question[]} questions */
  setQuestions(questions) {
    this.sides = questions.map((question, side) => {
      const fields = new QuestionFields(this.models, TITLES[side], () => this.submit());
      fields.question = question;
      return fields;
    });
    byId("sides").replaceChildren(...this.sides.map(({ root }) => root));
    const isComparing = questions.length > 1;
    document.body.classList.toggle("comparing", isComparing);
    byId("compare").setAttribute("aria-pressed", String(isComparing));
  }

  toggleComparison() {
    const [first, second] = this.sides.map(({ question }) => question);
    const other = this.models.find(({ name }) => name !== first.model) ?? this.models[0];
    this.setQuestions(second ? [first] : [first, { model: other.name, text: first.text }]);
    if (second && this.views.length) this.submit();
    else if (!second) this.sides[1].text.focus();
  }

  /** Ask what the fields say, and make it the link of the page. */
  submit() {
    const form = /** @type {HTMLFormElement} */ (byId("ask"));
    if (!form.reportValidity()) return;
    this.state = {
      ...emptyState(),
      questions: this.sides.map(({ question }) => question),
      nbest: Number(field("nbest").value),
      minProbability: Number(field("min-probability").value) / 100,
    };
    if (field("unknown-words").value === "overlook") this.state.unknownWords = "overlook";
    history.pushState(null, "", toHash(this.state));
    this.ask();
  }

  async ask() {
    this.request.abort(); // only the last question counts
    this.request = new AbortController();
    const { signal } = this.request;
    const { questions } = this.state;
    byId("results").setAttribute("aria-busy", "true");
    this.say("Parsing …");
    try {
      const answered = await Promise.all(questions.map(async (question) => {
        const card = await modelCard(question.model || this.models[0].name);
        const nbest = card.decoding === "greedy" ? 1 : this.state.nbest; // it has one answer only
        const asked = { ...question, model: card.name };
        return { card, result: await parse(asked, { ...this.state, nbest }, signal) };
      }));
      if (signal.aborted) return;
      for (const view of this.views) view.player.pause();
      this.views = answered.map(({ card, result }, side) => (
        new ResultView(result, card, this.state.ranks[side], {
          lookUp: showLexicon,
          onRank: (rank) => this.keepRank(side, rank),
          copy: (text, what) => this.copy(text, what),
          tell: (text) => this.tell(text),
          numbers: () => (side && this.views[0].numbers) || new Map(), // alike on both sides
        })
      ));
      this.showViews();
    } catch (error) {
      if (!signal.aborted) this.showTrouble(error);
    }
  }

  showViews() {
    byId("trouble").hidden = true;
    byId("results").replaceChildren(...this.views.map(({ root }) => root));
    byId("results").setAttribute("aria-busy", "false");
    for (const view of this.views) view.show(true);
    const verdict = comparison(this.views);
    byId("verdict").hidden = !verdict;
    byId("verdict").textContent = verdict;
    this.say([verdict, ...this.views.map(({ summary }) => summary)].filter(Boolean).join(" "));
  }

  /** @param {unknown} error */
  showTrouble(error) {
    const box = byId("trouble");
    byId("results").replaceChildren();
    byId("results").setAttribute("aria-busy", "false");
    byId("verdict").hidden = true;
    this.views = [];
    this.say("");
    box.hidden = false;
    const isKnown = error instanceof ServiceError;
    box.replaceChildren(element("strong", {}, isKnown ? "The service refused: " : "This page failed: "),
      error instanceof Error ? error.message : String(error));
    if (isKnown && error.code === "unauthorized") box.append(tokenForm(() => this.start()));
    if (!isKnown) console.error(error);
  }

  /**
   * @param {number} side
   * @param {number} rank
   */
  keepRank(side, rank) {
    this.state.ranks[side] = rank;
    history.replaceState(null, "", toHash(this.state));
    if (!side) this.views[1]?.show(false);
    byId("verdict").textContent = comparison(this.views);
    this.say(this.views[side].summary);
  }

  /**
   * @param {string} text
   * @param {string} what  What it is.
   */
  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.tell(`${what} is copied.`);
    } catch { // only safe addresses may, and people can forbid it
      this.tell(`${what} cannot be copied: the browser does not allow it here.`);
    }
  }

  /** @param {string} text  For everybody. */
  tell(text) {
    this.say(text);
    byId("status").classList.add("shown");
  }

  /** @param {string} text  For screen readers: others see it in the page. */
  say(text) {
    byId("status").classList.remove("shown");
    byId("status").textContent = text;
  }
}

/**
 * What a comparison shows, in a sentence; empty if there is nothing to compare.
 *
 * @param {ResultView[]} views
 */
function comparison(views) {
  if (views.length < 2) return "";
  const [one, other] = views.map(({ answers, rank }) => answers[rank]);
  if (!one && !other) return "Neither side has an answer.";
  if (!one || !other) return `Only the ${one ? "first" : "second"} side has an answer.`;
  if (one.form === other.form) return "Both sides have the same form.";
  const isSame = one.answer_text && one.answer_text === other.answer_text;
  return isSame ? "The forms differ, and come to the same answer." : "The forms differ.";
}

/**
 * The model that a page without a link begins with: questions that everybody understands.
 *
 * @param {ModelSummary[]} models
 */
function usualFirst(models) {
  return models.toSorted((one, other) => Number(other.name === "geo") - Number(one.name === "geo"));
}

/** @param {() => void} onToken  The page can be tried again. */
function tokenForm(onToken) {
  const input = element("input", { type: "password", required: true, autocomplete: "off" });
  const form = element("form", { class: "token-form" },
    element("label", {}, "Token ", input), element("button", {}, "Use it"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    useToken(input.value);
    onToken();
  });
  return form;
}

/**
 * @param {string} id
 * @returns {HTMLInputElement}
 */
function field(id) {
  return byId(id);
}

followTheme();
new Page().start();
