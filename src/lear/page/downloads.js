/** The tree as a file: drawn as it is seen, without need of this page's style sheets. */

import { drawn, element } from "./elements.js";

const OF_SHAPES = ["fill", "stroke", "stroke-width", "stroke-dasharray"];
const OF_TEXTS = ["fill", "font-family", "font-size", "font-style", "font-weight", "text-anchor"];
/** A PNG has this many pixels for one of the drawing, if none of its sides gets too long. */
const SHARPNESS = 2;
const MAX_SIDE = 8192;

/**
 * A drawing as a file of its own: whole, at its natural size, with its styles inside.
 *
 * @param {SVGSVGElement} svg  As it stands in the page.
 * @param {string} title
 * @returns {string}
 */
export function standaloneSvg(svg, title) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const { width, height } = svg.viewBox.baseVal;
  const shown = svg.querySelectorAll("*");
  const catching = copy.querySelectorAll(".hit"); // they only catch the pointer
  copy.querySelectorAll("*").forEach((target, index) => {
    const style = getComputedStyle(shown[index]);
    for (const name of [...target.attributes].map((attribute) => attribute.name)) {
      if (/^(aria-|data-|class$|role$|tabindex$)/.test(name)) target.removeAttribute(name);
    }
    if (target.tagName === "g") return;
    const names = target.tagName === "text" ? OF_TEXTS : OF_SHAPES;
    for (const name of names) target.setAttribute(name, style.getPropertyValue(name));
  });
  for (const name of ["aria-label", "aria-describedby"]) copy.removeAttribute(name);
  for (const target of catching) target.remove();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("role", "img");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const paper = getComputedStyle(svg).getPropertyValue("background-color");
  copy.prepend(drawn("title", {}, title), drawn("rect", { width, height, fill: paper }));
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/**
 * The same as pixels.
 *
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function pngOf(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const scale = Math.min(SHARPNESS, MAX_SIDE / Math.max(image.width, image.height));
    const canvas = element("canvas", {
      width: Math.round(image.width * scale), height: Math.round(image.height * scale),
    });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the tree is too large"))));
    });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

/**
 * @param {string} name
 * @param {Blob | string} content
 * @param {string} [type]
 */
export function save(name, content, type = "text/plain") {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
