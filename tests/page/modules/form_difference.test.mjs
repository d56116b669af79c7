/** What is marked is what the other form lacks: nothing between forms that say the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { formDifferences } from "../../../src/lear/page/form_difference.js";
import { formChunks } from "../../../src/lear/page/form_pieces.js";

const ACTIVE = "* girl ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , x _ 3 ) AND "
  + "give . theme ( x _ 1 , x _ 5 ) AND cake ( x _ 5 )";
const PASSIVE = "* girl ( x _ 6 ) ; cake ( x _ 1 ) AND give . theme ( x _ 3 , x _ 1 ) AND "
  + "give . recipient ( x _ 3 , x _ 6 ) AND give . agent ( x _ 3 , Emma )";
const CAPITAL = "answer(capital_1(loc_2(stateid('new york'))))";
const POPULATION = "answer(population_1(capital_1(loc_2(stateid('texas')))))";
const FORMS = [
  ACTIVE, PASSIVE, CAPITAL, POPULATION, "", "sleep . agent ( x _ 1 , Emma )",
  "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.director.film M0 }", "I_TURN_LEFT I_JUMP",
];

function apart(one, other) {
  return formDifferences(one, other).map((ranges, side) => (
    ranges.map(([begin, end]) => [one, other][side].slice(begin, end))
  ));
}

test("a form does not differ from itself, and differs alike from both sides", () => {
  for (const one of FORMS) {
    assert.deepEqual(apart(one, one), [[], []]);
    for (const other of FORMS) {
      assert.equal(formDifferences(one, other).flat().length, formDifferences(other, one).flat().length);
    }
  }
});

test("order and variables of conjuncts are no difference", () => {
  assert.deepEqual(apart(ACTIVE, PASSIVE), [[], []]);
});

test("another conjunct is marked as a whole, a definite noun too", () => {
  const other = PASSIVE.replace("* girl", "* boy");
  assert.deepEqual(apart(PASSIVE, other)[1], ["* boy ( x _ 6 ) ;", "AND give . recipient ( x _ 3 , x _ 6 )"]);
});

test("names are marked in forms without conjuncts", () => {
  assert.deepEqual(apart(CAPITAL, POPULATION), [["'new york'"], ["population_1", "'texas'"]]);
});

test("chunks are the form, and end after brackets, commas and dots only", () => {
  const numbers = new Map([["stateid('new york')", 1], ["give", 2], ["people.person", 3]]);
  for (const form of FORMS) {
    for (const other of FORMS) {
      const lines = formChunks(form, numbers, formDifferences(form, other)[0]);
      const texts = lines.map((chunks) => chunks.map((chunk) => chunk.map(({ text }) => text).join("")));
      assert.equal(texts.map((line) => line.join("")).join(" "), form);
      for (const line of texts) for (const text of line.slice(0, -1)) assert.match(text, /[(,.]\s*$/);
    }
  }
});
