/** Every token is in one group, and marks are on the words that they are about. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { places } from "../../../src/lear/page/derivation.js";
import { sentenceGroups } from "../../../src/lear/page/sentence_marks.js";
import { branch, leaf } from "./trees.mjs";

const TOKENS = ["the", "rivers", "of", "new", "york", "please"];
const TREE = branch(0, 6, [leaf(1, 2, "river"), leaf(3, 5, "ny")]);
const LEFT_OUT = [
  { span: [5, 6], kind: "overlooked", text: "please" }, { span: [2, 3], kind: "unused", text: "of" },
];
const ANSWER = { form: "f", probability: 1, marks: LEFT_OUT };

function textOf({ begin, end }) {
  return TOKENS.slice(begin, end).join(" ");
}

function marked(groups) {
  return groups.filter(({ marks }) => marks.length).map((group) => [textOf(group), group.marks[0].kind]);
}

test("groups are the sentence, units whole", () => {
  const groups = sentenceGroups({ tokens: TOKENS, nbest: [] }, ANSWER, places(TREE));
  assert.equal(groups.map(textOf).join(" "), TOKENS.join(" "));
  assert.deepEqual(groups.map(({ kind }) => kind[0]).join(""), "fpfpf");
});

test("words are marked that an answer leaves out", () => {
  const groups = sentenceGroups({ tokens: TOKENS, nbest: [] }, ANSWER, places(TREE));
  assert.deepEqual(marked(groups), [["of", "unused"], ["please", "overlooked"]]);
});

test("only the word that was repaired is marked, not another one that is spelt alike", () => {
  const tokens = ["capital", "of", "capital"];
  const result = { tokens, marks: [{ span: [0, 1], kind: "repaired", text: "captial" }], nbest: [] };
  const groups = sentenceGroups(result, null, []);
  assert.deepEqual(groups.map(({ marks }) => marks.length), [1, 0, 0]);
});

test("repaired words are marked within units, and where one became several", () => {
  const marks = [
    { span: [4, 5], kind: "repaired", text: "yorck" }, { span: [5, 6], kind: "repaired", text: "pls" },
  ];
  const groups = sentenceGroups({ tokens: TOKENS, nbest: [] }, { ...ANSWER, marks }, places(TREE));
  assert.deepEqual(marked(groups), [["new york", "repaired"], ["please", "repaired"]]);
  const wide = { tokens: TOKENS, marks: [{ span: [3, 5], kind: "repaired", text: "ny" }], nbest: [] };
  assert.deepEqual(marked(sentenceGroups(wide, null, [])), [["new york", "repaired"]]);
});

test("a word that became part of a unit is marked there, and the unit stays whole", () => {
  const marks = [{ span: [2, 4], kind: "repaired", text: "ofnew" }];
  const groups = sentenceGroups({ tokens: TOKENS, nbest: [] }, { ...ANSWER, marks }, places(TREE));
  assert.deepEqual(marked(groups), [["new york", "repaired"]]);
  assert.equal(groups.map(textOf).join(" "), TOKENS.join(" "));
});

test("refused spans are marked, and repairs within them too", () => {
  const result = {
    tokens: TOKENS,
    refused: [{ span: [0, 3], why: "not joined" }, { span: [3, 5], why: "not joined" }],
    marks: [{ span: [1, 2], kind: "repaired", text: "riverz" }],
    nbest: [],
  };
  const groups = sentenceGroups(result, null, []);
  assert.deepEqual(marked(groups), [["the rivers of", "refused"], ["new york", "refused"]]);
  assert.deepEqual(groups[0].marks.map(({ kind }) => kind), ["refused", "repaired"]);
});
