/** Questions to the service that this page came from. */

/** @import {LexiconAnswer, ModelCard, ModelSummary, PageState, Question, Result} from "./types.js" */

const TOKEN_KEY = "lear-token";

/** What the service refused; `side` is that of the sentence, where it was about one. */
export class ServiceError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
    /** @type {number | undefined} */
    this.side = undefined;
  }
}

/** @param {string} token  What the service asks for, kept until the window is closed. */
export function useToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

/** Whether there is a token to send. */
export function hasToken() {
  return sessionStorage.getItem(TOKEN_KEY) !== null;
}

/**
 * Text as a header can hold it: the bytes of UTF-8, which the service compares.
 *
 * @param {string} text
 */
function headerText(text) {
  return String.fromCharCode(...new TextEncoder().encode(text.replace(/[\0\r\n]/g, "")));
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function ask(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token !== null) headers.set("Authorization", `Bearer ${headerText(token)}`);
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServiceError("unreachable", "the service does not answer");
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const { code = String(response.status), message = response.statusText } = body?.error ?? {};
  if (code === "unauthorized" && token !== null) {
    sessionStorage.removeItem(TOKEN_KEY); // it leads nowhere
    throw new ServiceError("wrong_token", message);
  }
  throw new ServiceError(code, message);
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 */
function post(path, body, signal) {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

/**
 * @param {Question} question
 * @param {PageState} state
 * @param {AbortSignal} signal  Ends the request when another one takes its place.
 * @returns {Promise<Result>}
 */
export async function parse(question, state, signal) {
  const response = await post("api/parse", {
    model: question.model,
    texts: [question.text],
    nbest: state.nbest,
    execute: true,
    unknown_words: state.unknownWords,
    min_probability: state.minProbability,
  }, signal);
  return (await response.json()).results[0];
}

/** @returns {Promise<ModelSummary[]>} */
export async function listModels() {
  return (await (await ask("api/models")).json()).models;
}

/** @returns {Promise<string>} What the service says of its API. */
export async function describeApi() {
  return (await ask("api/openapi.json")).text();
}

/**
 * @param {string} name
 * @returns {Promise<ModelCard>}
 */
export async function describeModel(name) {
  return (await ask(`api/models/${encodeURIComponent(name)}`)).json();
}

/**
 * @param {string} model
 * @param {string} word
 * @returns {Promise<LexiconAnswer>}
 */
export async function lookUp(model, word) {
  const path = `api/models/${encodeURIComponent(model)}/lexicon?word=${encodeURIComponent(word)}`;
  return (await ask(path)).json();
}
