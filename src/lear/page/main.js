/** The page: a form that asks, one or two results, and a link that brings both back. */

import { compare, partner, waitingForSecond } from "./comparison.js";
import { save } from "./downloads.js";
import { byId } from "./elements.js";
import { showLexicon } from "./lexicon_dialog.js";
import { emptyState, fromHash, hasUsualSettings, toHash, usualView } from "./page_state.js";
import { QuestionFields, modelCard } from "./question_fields.js";
import { ResultView } from "./result_view.js";
import { ServiceError, describeApi, hasToken, listModels, parse } from "./service.js";
import { followTheme } from "./theme.js";
import { troubleElements } from "./trouble.js";

/** @import {ModelSummary, Question} from "./types.js" */

const TITLES = ["First", "Second"];
/** What is looked at is kept in the link when it has stayed for so long (milliseconds). */
const KEEP_AFTER = 200;

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
    /** @type {number | undefined} */
    this.keeping = undefined;
    this.listen();
  }

  listen() {
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    byId("compare").addEventListener("click", () => this.toggleComparison());
    byId("copy-link").addEventListener("click", () => {
      this.keepLink();
      this.copy(location.href, "The link to what you see");
    });
    byId("api").addEventListener("click", (event) => {
      if (this.models.length && !hasToken()) return; // then the link leads there
      event.preventDefault();
      describeApi().then((text) => save("openapi.json", text, "application/json"))
        .catch((error) => this.showTrouble(error, () => this.start()));
    });
    for (const link of document.querySelectorAll(".skip")) {
      link.addEventListener("click", (event) => {
        event.preventDefault(); // what stands after the # is the state of the page
        const top = document.querySelector("[role=treeitem][tabindex='0']");
        const target = link.getAttribute("data-to") === "tree" ? top : null;
        /** @type {HTMLElement} */ (target ?? byId("results")).focus();
      });
    }
    window.addEventListener("hashchange", () => this.start());
  }

  /** Begin; again, if there is another link, or if the service could not answer before. */
  async start() {
    const again = () => this.start();
    try {
      this.models = usualFirst(await listModels());
      byId("ask").hidden = false;
      byId("trouble").hidden = true;
      await this.restore();
    } catch (error) {
      this.showTrouble(error, again);
    }
  }

  /** Show what the link says. */
  async restore() {
    window.clearTimeout(this.keeping);
    this.state = fromHash(location.hash);
    const { questions } = this.state;
    for (const question of questions) question.model ||= this.models[0].name;
    this.setQuestions(questions);
    field("nbest").value = String(this.state.nbest);
    field("unknown-words").value = this.state.unknownWords;
    field("min-probability").value = String(Number((100 * this.state.minProbability).toFixed(6)));
    if (!hasUsualSettings(this.state)) byId("settings").setAttribute("open", "");
    const strange = questions.find(({ model }) => !this.models.some(({ name }) => name === model));
    if (strange) {
      const message = `there is no model “${strange.model}” here: choose one, and press Parse`;
      this.showTrouble(new ServiceError("unknown_model", message), () => this.start());
    } else if (questions[0].text.trim()) {
      await this.ask();
    } else {
      await this.showExample();
    }
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
    byId("compare").textContent = isComparing ? "Back to one" : "Compare two";
  }

  async toggleComparison() {
    const [first, second] = this.sides.map(({ question }) => question);
    const stopWaiting = () => byId("results").querySelector(".waiting")?.remove();
    if (second) {
      this.setQuestions([first]);
      stopWaiting();
      if (this.views.length > 1) this.submit();
      else this.views[0]?.tree.refit();
      return;
    }
    const other = await partner(first, this.models).catch(() => first);
    stopWaiting(); // of a click just before this one
    this.setQuestions([first, other]);
    if (this.views.length) byId("results").append(waitingForSecond());
    this.views[0]?.tree.refit();
    this.sides[1].text.focus();
  }

  /** Ask what the fields say, and make it the link of the page. */
  submit() {
    const form = /** @type {HTMLFormElement} */ (byId("ask"));
    const settings = byId("settings");
    if (settings.querySelector(":invalid")) settings.setAttribute("open", ""); // or nobody sees why
    if (!form.reportValidity()) return;
    this.state = {
      ...emptyState(),
      questions: this.sides.map(({ question }) => question),
      nbest: Number(field("nbest").value),
      minProbability: Number(field("min-probability").value) / 100,
    };
    if (field("unknown-words").value === "overlook") this.state.unknownWords = "overlook";
    this.askAnew();
  }

  askAnew() {
    window.clearTimeout(this.keeping);
    history.pushState(null, "", toHash(this.state));
    this.ask();
  }

  /** The same once more, without the words that nothing could be made of. */
  overlook() {
    field("unknown-words").value = "overlook";
    byId("settings").setAttribute("open", "");
    this.state.unknownWords = "overlook";
    this.state.shown = [usualView(), usualView()];
    this.askAnew();
  }

  async ask() {
    this.request.abort(); // only the last question counts
    this.request = new AbortController();
    const { signal } = this.request;
    const { questions } = this.state;
    byId("results").setAttribute("aria-busy", "true");
    this.say("Parsing …");
    try {
      const answered = await Promise.all(questions.map((question, side) => (
        this.answer(question, signal).catch((error) => {
          if (error instanceof ServiceError && questions.length > 1) error.side = side;
          throw error;
        })
      )));
      if (signal.aborted) return;
      for (const view of this.views) view.player.stop();
      this.views = answered.map(({ card, result }, side) => (
        new ResultView(result, card, this.state.shown[side], {
          lookUp: showLexicon,
          onShown: () => this.keepShown(side),
          overlook: this.state.unknownWords === "refuse" ? () => this.overlook() : null,
          copy: (text, what) => this.copy(text, what),
          tell: (text) => this.tell(text),
          numbers: () => (side && this.views[0].numbers) || new Map(), // alike on both sides
        })
      ));
      this.showViews();
    } catch (error) {
      if (!signal.aborted) this.showTrouble(error, () => this.ask());
    }
  }

  /**
   * @param {Question} question
   * @param {AbortSignal} signal
   */
  async answer(question, signal) {
    const card = await modelCard(question.model);
    const nbest = card.decoding === "greedy" ? 1 : this.state.nbest; // it has one answer only
    return { card, result: await parse(question, { ...this.state, nbest }, signal) };
  }

  showViews() {
    byId("trouble").hidden = true;
    byId("results").replaceChildren(...this.views.map(({ root }) => root));
    byId("results").setAttribute("aria-busy", "false");
    this.views.forEach((view, side) => {
      view.setTitle(this.views.length > 1 ? TITLES[side] : "");
      view.show(true);
    });
    const verdict = this.showVerdict();
    this.say([verdict, ...this.views.map(({ summary }) => summary)].filter(Boolean).join(" "));
  }

  showVerdict() {
    const verdict = compare(this.views);
    byId("verdict").hidden = !verdict;
    byId("verdict").textContent = verdict;
    return verdict;
  }

  /**
   * @param {unknown} error
   * @param {() => void} again
   */
  showTrouble(error, again) {
    const box = byId("trouble");
    byId("results").replaceChildren();
    byId("results").setAttribute("aria-busy", "false");
    byId("verdict").hidden = true;
    for (const view of this.views) view.player.stop();
    this.views = [];
    this.say("");
    box.hidden = false;
    box.replaceChildren(...troubleElements(error, again));
    if (!(error instanceof ServiceError)) console.error(error);
  }

  /** @param {number} side  Something else of it is looked at. */
  keepShown(side) {
    const view = this.views[side];
    const isOther = this.state.shown[side].rank !== view.rank;
    this.state.shown[side] = view.shown;
    window.clearTimeout(this.keeping);
    this.keeping = window.setTimeout(() => this.keepLink(), isOther ? 0 : KEEP_AFTER);
    if (!isOther) return;
    if (!side) this.views[1]?.show(false);
    this.showVerdict();
    this.say(view.summary);
  }

  /** Write into the link what is looked at; there is no way back to each step of it. */
  keepLink() {
    window.clearTimeout(this.keeping);
    if (this.views.length) history.replaceState(null, "", toHash(this.state));
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
 * The model that a page without a link begins with: questions that everybody understands.
 *
 * @param {ModelSummary[]} models
 */
function usualFirst(models) {
  return models.toSorted((one, other) => Number(other.name === "geo") - Number(one.name === "geo"));
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
