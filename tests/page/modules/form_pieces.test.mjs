/** Pieces put together are the form again, and only whole symbols are coloured. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { formLines, formPieces } from "../../../src/lear/page/form_pieces.js";

const FORMS = [
  "* girl ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND cake ( x _ 5 )",
  "sleep . agent ( x _ 1 , Emma )",
  "LAMBDA a . LAMBDA e . sleep . agent ( e , a )",
  "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.director.film M0 }",
  "answer(capital_1(loc_2(stateid('new york'))))",
  "",
];

test("lines are the form, cut at spaces", () => {
  for (const form of FORMS) assert.equal(formLines(form).join(" "), form);
});

test("a conjunct is a line, in COGS as in SPARQL", () => {
  assert.deepEqual(FORMS.map((form) => formLines(form).length), [3, 1, 1, 4, 1, 1]);
});

test("pieces are the text, whatever the symbols are", () => {
  const symbols = ["", "a", "x", "stateid('new york')", ".", "(", "$&", "loc_2", "[a-z]+"];
  const numbers = new Map(symbols.map((symbol, index) => [symbol, index + 1]));
  for (const form of FORMS) {
    assert.equal(formPieces(form, numbers).map(({ text }) => text).join(""), form);
  }
});

test("a symbol is coloured as a whole name only, and the longest one first", () => {
  const numbers = new Map([["capital", 1], ["loc_2", 2], ["stateid('new york')", 3], ["new", 4]]);
  const coloured = formPieces(FORMS[4], numbers).filter(({ number }) => number);
  assert.deepEqual(coloured, [{ text: "loc_2", number: 2 }, { text: "stateid('new york')", number: 3 }]);
});
