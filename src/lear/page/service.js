/** Questions to the service that this page came from. */

/** @import {LexiconAnswer, ModelCard, ModelSummary, PageState, Question, Result} from "./types.js" */

const TOKEN_KEY = "lear-token";

/** What the service refused, in its own words. */
export class ServiceError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @param {string} token  What the service asks for, kept until the window is closed. */
export function useToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function ask(path, options = {}) {
  const headers = new Headers(options.headers);
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServiceError("unreachable", "The service does not answer. Is `lear serve` still running?");
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const { code = String(response.status), message = response.statusText } = body?.error ?? {};
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
