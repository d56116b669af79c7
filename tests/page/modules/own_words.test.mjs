/** Words are shown as they were typed wherever that is sure, and nothing of the text is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ownWords } from "../../../src/lear/page/own_words.js";

function shown(text, tokens, marks = []) {
  return ownWords(text, tokens, marks).map((word) => word.text + word.after).join(" ");
}

test("capitals and punctuation are those that were typed", () => {
  const text = "What is the Capital of Texas, please?";
  assert.equal(shown(text, ["what", "is", "the", "capital", "of", "texas", "please"]), text);
  assert.equal(shown("Emma slept.", ["Emma", "slept", "."]), "Emma slept .");
});

test("a repaired word is the one that was read, and those beside it are as typed", () => {
  const marks = [{ span: [1, 3], kind: "repaired", text: "residentz" }];
  assert.equal(shown("How residentz, Ohio?", ["how", "people", "of", "ohio"], marks), "How people of, Ohio?");
});

test("where a word cannot be found, all are shown as they were read", () => {
  assert.equal(shown("What's up", ["what", "is", "up"]), "what is up");
  assert.equal(shown("Texas and more", ["texas"]), "texas");
  assert.equal(shown("İstanbul texas", ["i̇stanbul", "texas"]), "i̇stanbul texas");
  assert.equal(shown("", []), "");
});
