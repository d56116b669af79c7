/** A link holds the whole state, and no link breaks the page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_NBEST, emptyState, fromHash, hasUsualSettings, toHash, usualView } from "../../../src/lear/page/page_state.js";

const QUESTIONS = [
  { model: "geo", text: "what's the capital of texas? & #=%20+<b>" },
  { model: "my-model", text: "Zoë\tslept 🙂" },
];

test("reading a link gives the state that it was made of", () => {
  for (const questions of [QUESTIONS.slice(0, 1), QUESTIONS]) {
    for (const nbest of [1, 3, MAX_NBEST]) {
      for (const unknownWords of ["refuse", "overlook"]) {
        const first = { rank: 2, step: 0, node: 3 };
        const second = questions.length > 1 ? { rank: 0, step: 7, node: 0 } : usualView();
        const shown = [first, second];
        const state = { questions, nbest, unknownWords, minProbability: 0.25, shown };
        assert.deepEqual(fromHash(toHash(state)), state);
      }
    }
  }
});

test("without a link the state is the usual one", () => {
  assert.deepEqual(fromHash(""), emptyState());
  assert.ok(hasUsualSettings(emptyState()));
  assert.ok(!hasUsualSettings({ ...emptyState(), nbest: 1 }));
});

test("what does not fit is left out", () => {
  const odd = "#nbest=1e9&rank=-1&rank2=x&step=-1&node=1.5&step2=1e9&min_probability=7&unknown_words=eval&__proto__=1&text=a";
  const { questions, ...rest } = fromHash(odd);
  assert.deepEqual(questions, [{ model: "", text: "a" }]);
  assert.deepEqual({ questions: emptyState().questions, ...rest }, emptyState());
});
