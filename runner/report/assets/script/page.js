// What every page has: theme, views as tabs, the announcer, cards on hover or focus, copying. All work is added to
// a page that reads without it.

const root = document.documentElement;
const all = (selector, inside) => Array.from((inside || document).querySelectorAll(selector));
const one = (selector, inside) => (inside || document).querySelector(selector);

function say(text) {
  const live = one("#live");
  if (live) live.textContent = text;
}

function memory(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch (e) { /* storage is refused: the choice lasts as long as the page */ }
  return null;
}

// Text from data for a page: isolated for direction, hidden characters as chips, as runner/report/prose.py has it.
function inert(text, keep = "") {
  const out = document.createElement("bdi");
  for (const part of text.split(/([\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}])/u)) {
    if (!/^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]$/u.test(part) || keep.includes(part)) { out.append(part); continue; }
    const chip = document.createElement("span");
    chip.className = "cp";
    chip.textContent = "U+" + part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    out.append(chip);
  }
  return out;
}

function theme() {
  const button = one("#theme"), order = ["auto", "light", "dark"];
  if (!button) return;
  const shown = () => { one("#theme-now").textContent = root.dataset.theme || "auto"; };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(root.dataset.theme || "auto") + 1) % 3];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    memory("report-theme", next);
    shown();
  });
  shown();
}

// Links to the parts of a page become tabs. The address decides which part is open, also for a place inside one.
function tabs(list) {
  const links = all("a", list), panels = links.map(a => one(a.getAttribute("href")));
  list.setAttribute("role", "tablist");
  const pick = (at, focus) => {
    links.forEach((a, i) => {
      a.setAttribute("aria-selected", i === at);
      a.tabIndex = i === at ? 0 : -1;
      panels[i].hidden = i !== at;
    });
    if (!focus) return;
    links[at].focus();
    history.replaceState(null, "", links[at].getAttribute("href"));
  };
  links.forEach((a, i) => {
    a.setAttribute("role", "tab");
    a.id = a.id || "tab-" + panels[i].id;
    a.setAttribute("aria-controls", panels[i].id);
    panels[i].setAttribute("role", "tabpanel");
    panels[i].setAttribute("aria-labelledby", a.id);
    a.addEventListener("click", e => { e.preventDefault(); pick(i, true); });
    a.addEventListener("keydown", e => {
      const to = {ArrowRight: (i + 1) % links.length, ArrowLeft: (i + links.length - 1) % links.length, Home: 0, End: links.length - 1, " ": i}[e.key];
      if (to !== undefined) { e.preventDefault(); pick(to, true); }
    });
  });
  const follow = () => {
    const place = document.getElementById(state().at || ""), at = panels.findIndex(p => place && p.contains(place));
    if (at < 0) return false;
    pick(at);
    place.scrollIntoView();
    return true;
  };
  if (!follow()) pick(0);
  addEventListener("hashchange", follow);
  addEventListener("load", follow);
}

// A card for what has one: the template named by data-card, or the words of its title. It can be pointed at, and
// Escape closes it (WCAG 1.4.13).
function cards() {
  const tip = document.createElement("div");
  let shown = null, timer = 0;
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  (one("main") || document.body).append(tip);
  const close = () => {
    clearTimeout(timer);
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  };
  const open = el => {
    close();
    const card = document.getElementById(el.dataset.card || "");
    if (card) tip.replaceChildren(card.content.cloneNode(true)); else tip.textContent = el.dataset.tip;
    shown = el;
    tip.hidden = false;
    el.setAttribute("aria-describedby", "tip");
    const at = el.getBoundingClientRect(), above = at.top - tip.offsetHeight - 6;
    const low = at.bottom + 6 + tip.offsetHeight > innerHeight && above > 0;
    tip.style.left = Math.max(12, Math.min(at.left, innerWidth - tip.offsetWidth - 12)) + "px";
    tip.style.top = (low ? above : at.bottom + 6) + "px";
  };
  const later = () => { timer = setTimeout(close, 150); };
  // One listener for all, so that rows which a script adds have cards too.
  const of = e => e.target.closest && e.target.closest("[data-card],[data-tip],.badge[title]");
  const enter = e => {
    const el = of(e);
    if (tip.contains(e.target)) clearTimeout(timer);
    if (!el || el === shown) return el && clearTimeout(timer);
    if (el.title) { el.dataset.tip = el.title; el.removeAttribute("title"); }
    open(el);
  };
  const leave = e => { if (of(e) || tip.contains(e.target)) later(); };
  document.addEventListener("mouseover", enter);
  document.addEventListener("focusin", enter);
  document.addEventListener("mouseout", leave);
  document.addEventListener("focusout", leave);
  document.addEventListener("keydown", e => { if (e.key === "Escape") close(); });
}

function copying(button) {
  button.addEventListener("click", () => {
    if (navigator.clipboard) navigator.clipboard.writeText(one(button.dataset.copy).textContent).then(() => say("Copied"), () => {});
  });
}
