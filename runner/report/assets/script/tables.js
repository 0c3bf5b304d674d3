// Tables: sorting by buttons in the head, filters above them, ticks for the page that compares.

const MOST_RUNS = 6;

// The value of a cell: data-v, else the full-precision data-value, else its words; empty when it has none.
function valueOf(row, column) {
  const cell = row.cells[column];
  if (!cell || row.classList.contains("failed")) return "";
  const {v, value} = cell.dataset, text = v !== undefined ? v : value !== undefined ? value : cell.textContent.trim();
  return text === "\u2013" ? "" : text;
}

function sorting(button) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), table = head.closest("table"), body = table.tBodies[0], now = head.getAttribute("aria-sort");
    const column = head.dataset.col !== undefined ? +head.dataset.col : Array.from(head.parentNode.children).indexOf(head);
    const up = now ? now === "descending" : head.dataset.first === "asc";
    all("thead th", table).forEach(h => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...ordered(Array.from(body.rows), row => valueOf(row, column), up));
    say("Sorted by " + button.textContent.trim() + ", " + (up ? "ascending" : "descending"));
  });
}

// Stable; numbers by size, words as people order them, missing values last in either direction.
function ordered(rows, key, up) {
  const words = new Intl.Collator("en", {numeric: true});
  const sorted = rows.map(row => [key(row), row]).sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNaN(a) || isNaN(b) ? words.compare(a, b) : a - b;
    return up ? order : -order;
  });
  return sorted.map(([, row]) => row);
}

// Every word must be in the row; a choice must be among the words of the row's attribute of that name.
function filtering(box) {
  const table = one(box.dataset.filter), count = one(".count", box), empty = one(box.dataset.empty);
  const run = () => {
    const search = one("input[type=search]", box), words = (search ? search.value : "").toLowerCase().split(/\s+/).filter(Boolean);
    const rows = Array.from(table.tBodies[0].rows);
    let shown = 0;
    rows.forEach(row => {
      const text = row.textContent.toLowerCase();
      const fits = words.every(w => text.includes(w)) &&
        all("select", box).every(s => !s.value || (row.dataset[s.name] || "").split(" ").includes(s.value));
      row.hidden = !fits;
      shown += fits;
    });
    if (count) count.textContent = shown + " of " + rows.length + " shown";
    if (empty) empty.hidden = shown > 0;
  };
  box.addEventListener("input", run);
  addEventListener("pageshow", run);
  run();
}

function ticking(button) {
  // Two experiments may lead to one run.
  const chosen = () => [...new Set(all("input[name=run]:checked").map(t => t.value))];
  const update = () => {
    const runs = chosen(), n = runs.length;
    button.disabled = n < 2 || n > MOST_RUNS;
    button.textContent = n > MOST_RUNS ? "Compare at most " + MOST_RUNS + " runs" : n ? "Compare " + n + (n === 1 ? " run" : " runs") : "Compare";
  };
  document.addEventListener("change", update);
  addEventListener("pageshow", update);
  button.addEventListener("click", () => {
    const runs = chosen();
    location.href = (root.dataset.root || "") + "compare.html" + address({runs: runs.join(","), base: runs[0]});
  });
  update();
}
