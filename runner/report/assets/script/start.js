// The start: before the first paint what the look depends on, then the parts of the page as they are found.

window.report = {put, get, floats, state, address, all, one, say, inert};
root.classList.add("js");
const remembered = memory("report-theme");
if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
document.addEventListener("DOMContentLoaded", () => {
  theme();
  all("[data-tabs]").forEach(tabs);
  all("table[data-sort] thead button.sort").forEach(sorting);
  all("[data-filter]").forEach(filtering);
  all("#compare").forEach(ticking);
  all("[data-copy]").forEach(copying);
  cards();
});
