/** Every token is in one group, and marks are on the words that they are about. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { places } from "../../../src/lear/page/derivation.js";
import { sentenceGroups } from "../../../src/lear/page/sentence_marks.js";
import { branch, leaf } from "./trees.mjs";

const TOKENS = ["the", "rivers", "of", "new", "york", "please"];
const TREE = branch(0, 6, [leaf(1, 2, "river"), leaf(3, 5, "ny")]);
const ANSWER = { form: "f", probability: 1, overlooked: ["please"], unused: ["of"] };

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

test("a word that means something is not marked because one spelt alike is overlooked", () => {
  const answer = { ...ANSWER, overlooked: ["rivers"], unused: [] };
  assert.deepEqual(marked(sentenceGroups({ tokens: TOKENS, nbest: [] }, answer, places(TREE))), []);
});

test("repaired words are marked within units, and where one became several", () => {
  const repaired = [{ word: "yorck", read_as: "york" }, { word: "pls", read_as: "please" }];
  const result = { tokens: TOKENS, repaired, nbest: [] };
  const groups = sentenceGroups(result, { ...ANSWER, overlooked: [], unused: [] }, places(TREE));
  assert.deepEqual(marked(groups), [["new york", "repaired"], ["please", "repaired"]]);
  const wide = { tokens: TOKENS, repaired: [{ word: "ny", read_as: "new york" }], nbest: [] };
  assert.deepEqual(marked(sentenceGroups(wide, null, [])), [["new york", "repaired"]]);
});

test("refused spans are marked, and repairs within them too", () => {
  const result = {
    tokens: TOKENS,
    refused: [{ span: [0, 3], why: "not joined" }, { span: [3, 5], why: "not joined" }],
    repaired: [{ word: "riverz", read_as: "rivers" }],
    nbest: [],
  };
  const groups = sentenceGroups(result, null, []);
  assert.deepEqual(marked(groups), [["the rivers of", "refused"], ["new york", "refused"]]);
  assert.deepEqual(groups[0].marks.map(({ kind }) => kind), ["refused", "repaired"]);
});
