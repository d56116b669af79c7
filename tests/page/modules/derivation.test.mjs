/** Trees of any depth: every node once, function words where they stand, labels apart. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { functionWordPositions, places, primitiveNumbers } from "../../../src/lear/page/derivation.js";
import { layoutTree } from "../../../src/lear/page/tree_layout.js";
import { branch, chain, leaf } from "./trees.mjs";

const measure = (text, kind) => 8 * text.length + (kind === "word" ? 0 : 20);
const labelOf = ({ node }) => node.operation ?? node.primitive.symbol;

test("all nodes come once, parents first, however deep the tree is", () => {
  for (const depth of [0, 1, 5000]) {
    const all = places(chain(depth).tree);
    assert.equal(all.length, 2 * depth + 1);
    const seen = new Set();
    for (const place of all) {
      assert.ok(place.parent === null || seen.has(place.parent));
      seen.add(place);
    }
  }
});

test("every token is of one primitive, or a function word of one operation", () => {
  const { tree, tokens } = chain(6);
  const owners = tokens.map(() => 0);
  for (const { node } of places(tree)) {
    const own = node.primitive ? [node.span[0]] : functionWordPositions(node);
    for (const position of own) owners[position] += 1;
  }
  assert.ok(owners.every((count) => count === 1));
});

test("primitives are numbered by their place in the sentence, equal ones alike", () => {
  const tree = branch(0, 3, [branch(1, 3, [leaf(1, 2, "b"), leaf(2, 3, "a")]), leaf(0, 1, "a")]);
  assert.deepEqual([...primitiveNumbers(places(tree))], [["a", 1], ["b", 2]]);
});

test("labels stay over their own words, and apart from each other", () => {
  for (const depth of [0, 1, 3, 40]) {
    const { tree, tokens } = chain(depth);
    const all = places(tree);
    const { at, width, height, wordX } = layoutTree(all, tokens, labelOf, measure);
    const boxes = all.map((place) => ({ place, ...at.get(place) }));
    for (const { x, y, width: own } of boxes) {
      assert.ok(x - own / 2 >= 0 && x + own / 2 <= width && y >= 0 && y <= height);
    }
    for (const one of boxes) {
      for (const other of boxes) {
        const isBeside = one !== other && one.y === other.y;
        if (isBeside) assert.ok(Math.abs(one.x - other.x) >= (one.width + other.width) / 2);
      }
      if (one.place.parent) assert.ok(at.get(one.place.parent).y < one.y);
    }
    assert.ok(wordX.every((x, i) => i === 0 || x > wordX[i - 1]));
  }
});
