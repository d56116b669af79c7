/** What went wrong, in one clear sentence, and what can be done about it. */

import { element } from "./elements.js";
import { ServiceError, useToken } from "./service.js";

/** @type {Record<string, string>} By code; others speak for themselves. */
const SAID = {
  unreachable: "The service does not answer. Is `lear serve` still running?",
  unauthorized: "This service asks for a token.",
  wrong_token: "The service does not take this token.",
  overloaded: "The service has too much to do just now.",
  not_ready: "The service is not ready yet.",
};
/** It may go better the next time. */
const MAY_PASS = new Set(["unreachable", "overloaded", "not_ready", "time_limit", "worker_died", "internal"]);
const SIDES = ["The first sentence", "The second sentence"];

/**
 * An error as a sentence.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function troubleText(error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ServiceError)) return `This page failed: ${message}`;
  const about = error.side === undefined ? "The sentence" : SIDES[error.side];
  return SAID[error.code] ?? sentence(message.replace(/^texts\[0\]/, about));
}

/**
 * What to show of an error.
 *
 * @param {unknown} error
 * @param {() => void} again
 * @returns {HTMLElement[]}
 */
export function troubleElements(error, again) {
  /** @type {HTMLElement[]} */
  const shown = [element("p", {}, troubleText(error))];
  const code = error instanceof ServiceError ? error.code : "";
  if (code === "unauthorized" || code === "wrong_token") shown.push(tokenForm(again));
  if (MAY_PASS.has(code)) {
    const button = element("button", { type: "button", class: "again" }, "Try again");
    button.addEventListener("click", again);
    shown.push(button);
  }
  return shown;
}

/** @param {() => void} again */
function tokenForm(again) {
  const input = element("input", { type: "password", required: true, autocomplete: "off" });
  const form = element("form", { class: "token-form" },
    element("label", {}, "Token ", input), element("button", {}, "Use it"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    useToken(input.value);
    again();
  });
  return form;
}

/** @param {string} text */
function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(whole) ? whole : `${whole}.`;
}
