/** A derivation as a drawing: a tree for eyes, for a keyboard and for screen readers. */

import { colourClass, functionWordPositions, inOrder, nodeLabel, words } from "./derivation.js";
import { drawn, element } from "./elements.js";
import { BOX, PRIMITIVE_BELOW, layoutTree } from "./tree_layout.js";

/** @import {Place} from "./derivation.js" */
/** @import {Layout, Measure} from "./tree_layout.js" */

const MAX_SYMBOL = 26;
const SMALLEST_SCALE = 0.1;
const LARGEST_SCALE = 2;
/** Smaller letters than at this size cannot be read: rather let people scroll. */
const READABLE_SCALE = 0.8;
const ZOOM = 1.25;
const MAX_BEND = 44;
const FONTS = {
  word: "17px ui-serif, Georgia, serif",
  label: "13px ui-monospace, Menlo, Consolas, monospace",
  operation: "13px ui-monospace, Menlo, Consolas, monospace",
};
/** Beside the text of a label: padding, and the number of a primitive. */
const LABEL_ROOM = { word: 0, label: 38, operation: 22 };

export class TreeView {
  /**
   * @param {HTMLElement} container
   * @param {string} keysId  Of the text that says which keys there are.
   * @param {(place: Place | null) => void} onLook  A node is looked at, or none any more.
   * @param {() => void} onSelect  Another node was chosen.
   */
  constructor(container, keysId, onLook, onSelect) {
    this.container = container;
    this.keysId = keysId;
    this.onLook = onLook;
    this.onSelect = onSelect;
    this.scale = 1;
    /** @type {Place[]} */
    this.all = [];
    /** @type {Map<Place, SVGGElement>} */
    this.shapes = new Map();
    /** @type {Place | null} */
    this.selected = null;
    this.step = 0;
  }

  /**
   * Draw a derivation anew.
   *
   * @param {Place[]} all
   * @param {string[]} tokens
   * @param {Map<string, number>} numbers  Of primitives.
   */
  show(all, tokens, numbers) {
    this.all = all;
    this.tokens = tokens;
    this.layout = layoutTree(all, tokens, labelOf, measureText());
    this.selected = null;
    this.shapes = new Map(all.map((place) => [place, this.nodeShape(place, tokens, numbers)]));
    this.lines = drawn("g", { class: "lines", "aria-hidden": "true" }, ...this.lineShapes());
    const sentence = drawn("g", { class: "loose-words", "aria-hidden": "true" }, ...this.wordShapes());
    this.svg = drawn("svg", {
      role: "tree",
      "aria-label": `Derivation of “${tokens.join(" ")}”`,
      "aria-describedby": this.keysId,
      viewBox: `0 0 ${this.layout.width} ${this.layout.height}`,
    }, this.lines, sentence, ...this.shapes.values());
    this.svg.addEventListener("keydown", (event) => this.onKey(event));
    this.shapes.get(all[0])?.setAttribute("tabindex", "0");
    this.container.replaceChildren(this.svg);
    this.fit(READABLE_SCALE);
    this.scrollTo(all[0]);
  }

  /**
   * @param {Place} place
   * @param {string[]} tokens
   * @param {Map<string, number>} numbers
   */
  nodeShape(place, tokens, numbers) {
    const { node, parent } = place;
    const number = numbers.get(node.primitive?.symbol ?? "") ?? 0;
    const shape = drawn("g", {
      class: "node",
      role: "treeitem",
      tabindex: "-1",
      "aria-level": place.depth + 1,
      "aria-setsize": parent ? parent.children.length : 1,
      "aria-posinset": parent ? parent.children.indexOf(place) + 1 : 1,
      "aria-selected": "false",
      "aria-label": nodeLabel(node, tokens, number),
    });
    const { x, y, width } = this.placeOf(place);
    if (node.primitive) {
      shape.classList.add("primitive", colourClass(number));
      const top = y + PRIMITIVE_BELOW - 11;
      shape.append(
        drawn("rect", { class: "hit", x: x - width / 2, y: y - 12, width, height: PRIMITIVE_BELOW + 24 }),
        drawn("text", { class: "word", x, y: y + 6 }, `${words(node, tokens)} `),
        drawn("rect", { x: x - width / 2, y: top, width, height: 22, rx: 11 }),
        drawn("circle", { cx: x - width / 2 + 11, cy: top + 11, r: 11 }),
        drawn("text", { class: "number", x: x - width / 2 + 11, y: top + 15 }, `${number} `),
        drawn("text", { class: "label", x: x + 9, y: top + 15.5 }, labelOf(place)),
      );
    } else {
      shape.classList.add("operation");
      shape.append(
        drawn("rect", { x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: 6 }),
        drawn("text", { class: "label", x, y: y + 4.5 }, labelOf(place)),
      );
    }
    shape.addEventListener("pointerenter", () => this.onLook(place));
    shape.addEventListener("pointerleave", () => this.onLook(this.selected));
    shape.addEventListener("focus", () => {
      this.select(place);
      shape.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.onSelect();
    });
    shape.addEventListener("click", () => shape.focus({ preventScroll: true }));
    return shape;
  }

  /** From each operation to its parts, and dashed to its function words. */
  lineShapes() {
    const { sentenceY, wordX } = this.geometry;
    return this.all.flatMap((place) => {
      const { x, y } = this.placeOf(place);
      const bottom = y + BOX / 2;
      const toParts = place.children.map((child) => {
        const end = this.placeOf(child);
        return this.line(place, curve(x, bottom, end.x, end.y - BOX / 2), "");
      });
      const toWords = functionWordPositions(place.node).map((position) => (
        this.line(place, curve(x, bottom, wordX[position], sentenceY - BOX / 2), "dashed")
      ));
      return [...toParts, ...toWords];
    });
  }

  /**
   * @param {Place} place  To whose operation the line belongs.
   * @param {string} path
   * @param {string} kind
   */
  line(place, path, kind) {
    return drawn("path", { d: path, class: kind, "data-order": place.node.order });
  }

  /** The words that are no primitives; each tells when the operation comes that it belongs to. */
  wordShapes() {
    const { sentenceY, wordX } = this.geometry;
    /** @type {Map<number, number>} */
    const orders = new Map();
    const units = new Set();
    for (const { node } of this.all) {
      for (const position of functionWordPositions(node)) orders.set(position, node.order);
      if (node.primitive) for (let i = node.span[0]; i < node.span[1]; i += 1) units.add(i);
    }
    return (this.tokens ?? []).flatMap((token, position) => (units.has(position) ? [] : [
      drawn("text", {
        class: "function-word", x: wordX[position], y: sentenceY + 6, "data-order": orders.get(position),
      }, token),
    ]));
  }

  /**
   * Show the tree as it was after so many steps; the last one is marked as the newest.
   *
   * @param {number} step
   */
  setStep(step) {
    this.step = step;
    const isWhole = step >= this.all.length;
    for (const [place, shape] of this.shapes) {
      shape.classList.toggle("future", place.node.order >= step);
      shape.classList.toggle("newest", !isWhole && place.node.order === step - 1);
    }
    for (const other of this.svg?.querySelectorAll("[data-order]") ?? []) {
      other.classList.toggle("future", Number(other.getAttribute("data-order")) >= step);
    }
    const newest = inOrder(this.all)[step - 1];
    if (newest && !isWhole) this.scrollTo(newest);
  }

  /** @param {Place} place */
  select(place) {
    if (this.selected) {
      this.shapes.get(this.selected)?.setAttribute("aria-selected", "false");
      this.shapes.get(this.selected)?.setAttribute("tabindex", "-1");
    } else {
      this.shapes.get(this.all[0])?.setAttribute("tabindex", "-1");
    }
    this.selected = place;
    this.shapes.get(place)?.setAttribute("aria-selected", "true");
    this.shapes.get(place)?.setAttribute("tabindex", "0");
    this.scrollTo(place);
    this.onLook(place);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = neighbour(this.selected ?? this.all[0], event.key, this.all);
    if (target === undefined) return;
    event.preventDefault();
    if (target && target.node.order < this.step) this.shapes.get(target)?.focus({ preventScroll: true });
  }

  /** @param {Place} place */
  scrollTo(place) {
    const { x, y } = this.placeOf(place);
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = this.container;
    const left = x * this.scale;
    const top = y * this.scale;
    const margin = 80;
    const isSeen = left > scrollLeft + margin && left < scrollLeft + clientWidth - margin
      && top > scrollTop + margin / 2 && top < scrollTop + clientHeight - margin / 2;
    if (!isSeen) this.container.scrollTo({ left: left - clientWidth / 2, top: top - clientHeight / 2 });
  }

  /**
   * As large as fits, but no larger than life.
   *
   * @param {number} [least]  Do not go below this scale.
   */
  fit(least = SMALLEST_SCALE) {
    const { width, height } = this.geometry;
    const room = Math.max(this.container.clientWidth - 2, 1);
    const tall = Math.max(window.innerHeight * 0.7, 320);
    this.zoomTo(Math.max(least, Math.min(1, room / width, tall / height)));
  }

  /** After the room has changed: as at first. */
  refit() {
    if (this.layout) this.fit(READABLE_SCALE);
  }

  /** @param {number} steps  Above 0 for larger. */
  zoom(steps) {
    this.zoomTo(this.scale * ZOOM ** steps);
  }

  /** @param {number} scale */
  zoomTo(scale) {
    const { width, height } = this.geometry;
    this.scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, scale));
    this.svg?.setAttribute("width", String(width * this.scale));
    this.svg?.setAttribute("height", String(height * this.scale));
    if (this.selected) this.scrollTo(this.selected);
  }

  /** @returns {Layout} */
  get geometry() {
    if (!this.layout) throw new Error("nothing is drawn");
    return this.layout;
  }

  /** @param {Place} place */
  placeOf(place) {
    return this.geometry.at.get(place) ?? { x: 0, y: 0, width: 0 };
  }
}

/**
 * What stands on a node.
 *
 * @param {Place} place
 */
function labelOf({ node }) {
  const label = node.primitive ? node.primitive.symbol : node.operation ?? "";
  return label.length <= MAX_SYMBOL ? label : `${label.slice(0, MAX_SYMBOL - 1)}…`;
}

/**
 * Where an arrow key leads: null if there is nothing, undefined for other keys.
 *
 * @param {Place} place
 * @param {string} key
 * @param {Place[]} all
 * @returns {Place | null | undefined}
 */
function neighbour(place, key, all) {
  const beside = place.parent?.children ?? [place];
  const index = beside.indexOf(place);
  switch (key) {
    case "ArrowUp": return place.parent;
    case "ArrowDown": return place.children[0] ?? null;
    case "ArrowLeft": return beside[index - 1] ?? null;
    case "ArrowRight": return beside[index + 1] ?? null;
    case "Home": return all[0];
    case "End": return all[all.length - 1];
    default: return undefined;
  }
}

/** @returns {Measure} */
function measureText() {
  const context = element("canvas").getContext("2d");
  return (text, kind) => {
    if (!context) return text.length * 8 + LABEL_ROOM[kind];
    context.font = FONTS[kind];
    return context.measureText(text).width + LABEL_ROOM[kind];
  };
}

/**
 * A line that bends below its upper end, and then goes straight down: long ones cross little.
 *
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 */
function curve(x1, y1, x2, y2) {
  const bent = Math.min(y2, y1 + MAX_BEND);
  const middle = (y1 + bent) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${bent}V${y2}`;
}
