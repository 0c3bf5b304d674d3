// Data beside a page: a file is one call of report.put, because browsers refuse fetch from disk.

const stored = {}, waiting = {};

function put(key, value) {
  stored[key] = value;
  (waiting[key] || []).forEach(resolve => resolve(value));
  delete waiting[key];
}

// A promise of the value of a key: in the page itself, loaded before, or loaded now. Keys come from addresses that
// anyone can write, so only plain names become files.
function get(key) {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(key)) return Promise.reject(new Error("no such data"));
  if (stored[key] !== undefined) return Promise.resolve(stored[key]);
  const inside = document.getElementById("data-" + key);
  if (inside) return Promise.resolve(stored[key] = JSON.parse(inside.textContent));
  return new Promise((resolve, reject) => {
    (waiting[key] = waiting[key] || []).push(resolve);
    if (waiting[key].length > 1) return;
    const script = document.createElement("script");
    script.src = (document.documentElement.dataset.root || "") + "data/" + key + ".js";
    script.onerror = () => { delete waiting[key]; script.remove(); reject(new Error("no such data")); };
    document.head.append(script);
  });
}

// Float64 values, little-endian, in base64.
function floats(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0)), view = new DataView(bytes.buffer);
  return Float64Array.from({length: bytes.length / 8}, (_, i) => view.getFloat64(8 * i, true));
}

// The state of a page lives in its address: #runs=a,b&base=a, or #q-12&run=a whose first part has the name "at".
function state() {
  const out = {};
  location.hash.slice(1).split("&").filter(Boolean).forEach((part, i) => {
    const cut = part.indexOf("=");
    try {
      if (cut > 0) out[part.slice(0, cut)] = decodeURIComponent(part.slice(cut + 1));
      else if (i === 0) out.at = decodeURIComponent(part);
    } catch (e) { /* not an address we wrote */ }
  });
  return out;
}

function address(values) {
  const part = name => (name === "at" ? "" : name + "=") + encodeURIComponent(values[name]).replace(/%2C/g, ",");
  return "#" + Object.keys(values).map(part).join("&");
}
