/** Lets a tree grow step by step: play, pause, and to and fro by hand. */

import { part } from "./elements.js";

/** The whole tree takes about so long, but no step is shorter or longer than these (milliseconds). */
const WHOLE = 5000;
const SHORTEST = 90;
const LONGEST = 650;

export class Player {
  /**
   * @param {HTMLElement} root  Has the buttons.
   * @param {(step: number) => void} onStep
   * @param {() => void} onRest  Somebody chose a step, or the tree has stopped growing.
   */
  constructor(root, onStep, onRest) {
    this.onStep = onStep;
    this.onRest = onRest;
    this.step = 0;
    this.numSteps = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.playButton = part(root, "play");
    this.slider = /** @type {HTMLInputElement} */ (part(root, "step"));
    this.count = part(root, "count");
    part(root, "first").addEventListener("click", () => this.goTo(0));
    part(root, "back").addEventListener("click", () => this.goTo(this.step - 1));
    part(root, "forward").addEventListener("click", () => this.goTo(this.step + 1));
    part(root, "last").addEventListener("click", () => this.goTo(this.numSteps));
    this.playButton.addEventListener("click", () => (this.timer ? this.pause() : this.play()));
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)));
  }

  /**
   * Begin with another tree; it grows by itself, unless people want no motion.
   *
   * @param {number} numSteps
   * @param {boolean} grows
   * @param {number | null} step  Show this one, and stay there.
   */
  load(numSteps, grows, step) {
    this.stop();
    this.numSteps = numSteps;
    this.slider.max = String(numSteps);
    const isStill = !grows || step !== null || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.show(step ?? (isStill ? numSteps : 0));
    if (!isStill) this.play();
  }

  play() {
    if (this.step >= this.numSteps) this.show(0);
    const pause = Math.min(LONGEST, Math.max(SHORTEST, WHOLE / this.numSteps));
    this.timer = window.setInterval(() => {
      this.show(this.step + 1);
      if (this.step >= this.numSteps) this.pause();
    }, pause);
    this.setPlaying(true);
  }

  pause() {
    this.stop();
    this.onRest();
  }

  /** Grow no more, without a word: this tree is not looked at any more. */
  stop() {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.setPlaying(false);
  }

  /** @param {number} step */
  goTo(step) {
    this.stop();
    this.show(step);
    this.onRest();
  }

  /** @param {number} step */
  show(step) {
    this.step = Math.min(this.numSteps, Math.max(0, step));
    this.slider.value = String(this.step);
    this.slider.setAttribute("aria-valuetext", `step ${this.step} of ${this.numSteps}`);
    this.count.textContent = `${this.step} / ${this.numSteps}`;
    this.onStep(this.step);
  }

  /** @param {boolean} isPlaying */
  setPlaying(isPlaying) {
    this.playButton.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    this.playButton.classList.toggle("playing", isPlaying);
  }
}
