/** Light or dark: as the system is, or as was chosen on this page. */

import { byId } from "./elements.js";

const KEY = "lear-theme";

export function followTheme() {
  const choice = /** @type {HTMLSelectElement} */ (byId("theme"));
  const apply = () => { document.documentElement.dataset.theme = choice.value; };
  choice.value = localStorage.getItem(KEY) ?? "";
  apply();
  choice.addEventListener("change", () => {
    localStorage.setItem(KEY, choice.value);
    apply();
  });
}
