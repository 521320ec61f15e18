// SPDX-License-Identifier: Apache-2.0
// The dashboard's page: reads events of the server that sent it, and draws them. All addresses are relative.
"use strict";

const KINDS = ["elementwise", "reduction", "sort", "group", "movement", "matrix", "program", "text", "other"];
const POINTS = 240; // of a chart: two minutes
const KEPT = 2000;
const element = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// -- numbers and elements --

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return `${value < 10 && unit ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function seconds(value) {
  if (value < 1e-3) return `${Math.round(value * 1e6)} µs`;
  if (value < 1) return `${(value * 1e3).toFixed(value < 0.1 ? 1 : 0)} ms`;
  if (value < 120) return `${value.toFixed(value < 10 ? 2 : 0)} s`;
  return value < 7200 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`;
}

function svg(name, attributes, ...content) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

function made(name, content, attributes = {}) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  found.append(...(Array.isArray(content) ? content : [content]));
  return found;
}

// Changes what has changed alone: the focus and a screen reader's place stay.
function rows(id, lines, none) { fill(element(id), lines, none); }

function fill(body, lines, none) {
  const columns = body.parentElement.tHead.rows[0].cells.length;
  if (!lines.length) {
    if (body.dataset.none !== none) {
      body.replaceChildren(made("tr", made("td", none, { colspan: columns, class: "none" })));
      body.dataset.none = none;
    }
    return;
  }
  if (body.dataset.none !== undefined) { body.replaceChildren(); delete body.dataset.none; }
  while (body.rows.length > lines.length) body.deleteRow(-1);
  lines.forEach((cells, at) => {
    const row = body.rows[at] || body.insertRow();
    cells.forEach((value, column) => {
      let cell = row.cells[column];
      if (!cell) {
        cell = column === 0 ? made("th", "", { scope: "row" }) : made("td", "");
        row.append(cell);
      }
      if (value instanceof Node) {
        if (!cell.firstChild || cell.dataset.key !== value.dataset.key) { cell.replaceChildren(value); cell.dataset.key = value.dataset.key; }
      } else if (cell.textContent !== String(value)) cell.textContent = value;
    });
  });
}

function facts(id, pairs) {
  const list = element(id);
  const key = pairs.map((pair) => pair.join("\u0000")).join("\u0001");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...pairs.map(([name, value]) => made("div", [made("dt", name), made("dd", value)])));
}

function meter(share, label) {
  const value = Math.max(0, Math.min(1, share || 0));
  const found = made("meter", `${Math.round(100 * value)} %`, { min: 0, max: 1, value: value.toFixed(3), "aria-label": label });
  found.dataset.key = `${label}${value.toFixed(3)}`;
  return found;
}

// -- charts over time --

class Chart {
  constructor(id, label, format) {
    this.svg = element(id);
    this.label = label;
    this.format = format;
    this.values = [];
  }

  add(value) {
    this.values.push(value);
    if (this.values.length > POINTS) this.values.shift();
    this.draw();
  }

  draw() {
    const width = this.svg.clientWidth || 400, height = 110, high = Math.max(...this.values, 1e-9);
    const at = (value, place) => [
      (width - (this.values.length - 1 - place) * (width / (POINTS - 1))).toFixed(1),
      (height - 4 - (height - 22) * (value / high)).toFixed(1),
    ];
    const places = this.values.map(at);
    const curve = places.map((place) => place.join(",")).join(" ");
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.setAttribute("aria-label", `${this.label}: ${this.format(this.values.at(-1))}, at most ${this.format(high)} in two minutes`);
    this.svg.replaceChildren(
      svg("line", { class: "grid", x1: 0, x2: width, y1: 18, y2: 18 }),
      svg("polygon", { class: "area", points: `${places[0][0]},${height} ${curve} ${width},${height}` }),
      svg("polyline", { class: "curve", points: curve }),
      svg("text", { x: 4, y: 13 }, `at most ${this.format(high)}`),
    );
  }
}

// -- operations of PEs over time --

class Timeline {
  constructor() {
    this.svg = element("timeline");
    this.operations = []; // [number, begin, end, name, session, kind]
    this.span = 60;
    this.live = true;
    this.now = this.end = 0;
    this.pes = 1;
    this.load = []; // [time, cores of PE 0, of PE 1, …]
    this.chosen = 0;
    this.zoom = (factor) => { this.span = Math.min(3600, Math.max(0.01, this.span * factor)); this.draw(); };
    this.move = (share) => { this.follow(false); this.end = Math.min(this.now, this.end + share * this.span); this.draw(); };
    element("zoom-in").onclick = () => this.zoom(0.5);
    element("zoom-out").onclick = () => this.zoom(2);
    element("earlier").onclick = () => this.move(-0.5);
    element("later").onclick = () => this.move(0.5);
    element("live").onclick = () => this.follow(!this.live);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("click", (event) => this.choose(Number(event.target.dataset.number || 0)));
    this.svg.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
    element("legend").append(...KINDS.map((kind, at) =>
      made("li", [svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("rect", { class: `k${at}`, width: 12, height: 12 })), kind])));
  }

  follow(live) {
    this.live = live;
    element("live").setAttribute("aria-pressed", String(live));
    if (live) { this.end = this.now; this.draw(); }
  }

  key(event) {
    const action = {
      ArrowLeft: () => this.move(-0.1), ArrowRight: () => this.move(0.1), "+": () => this.zoom(0.5), "-": () => this.zoom(2),
      l: () => this.follow(!this.live), n: () => this.step(1), p: () => this.step(-1),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  }

  step(by) {
    const shown = this.shown();
    if (!shown.length) return;
    this.follow(false);
    const at = shown.findIndex((one) => one[0] === this.chosen);
    const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + by));
    this.choose(shown[next][0]);
  }

  choose(number) {
    this.chosen = number;
    const found = this.operations.find((one) => one[0] === number);
    facts("details", found ? [
      ["Operation", found[3]], ["Kind", found[5]], ["Took", seconds(found[2] - found[1])],
      ["Began", `${seconds(this.now - found[1])} ago`], ["Session", found[4]],
    ] : []);
    this.draw();
  }

  shown() {
    return this.operations.filter((one) => one[2] >= this.end - this.span && one[1] <= this.end);
  }

  add(view, cores) {
    this.operations.push(...view.operations);
    this.operations.splice(0, Math.max(0, this.operations.length - KEPT));
    this.now = view.now;
    this.pes = Math.min(view.pes, 64);
    if (cores) { this.load.push([view.now, ...cores]); this.load.splice(0, Math.max(0, this.load.length - KEPT)); }
    const state = view.state;
    this.running = state.operation ? [0, view.now - state.seconds, view.now, state.operation, state.session, state.kind] : null;
    if (this.live) this.end = this.now;
    this.draw();
  }

  draw() {
    const width = this.svg.clientWidth || 1200, left = 46, lane = Math.max(18, Math.min(46, 300 / this.pes)), height = lane * this.pes + 20;
    const begin = this.end - this.span;
    const x = (time) => left + (width - left) * (time - begin) / this.span;
    const parts = [];
    const shown = this.shown();
    if (this.running && this.running[2] >= begin) shown.push(this.running);
    for (let pe = 0; pe < this.pes; pe++) {
      const top = pe * lane;
      parts.push(svg("line", { class: "grid", x1: left, x2: width, y1: top + lane, y2: top + lane }));
      parts.push(svg("text", { x: 4, y: top + lane / 2 + 4 }, `PE ${pe}`));
      for (const one of shown) {
        const from = Math.max(left, x(one[1])), to = Math.min(width, x(one[2]));
        parts.push(svg("rect", {
          class: `op k${Math.max(0, KINDS.indexOf(one[5]))}${one[0] === this.chosen && one[0] ? " chosen" : ""}`,
          x: from.toFixed(1), y: top + 3, width: Math.max(1, to - from).toFixed(1), height: lane - 6, "data-number": one[0],
        }, svg("title", {}, `${one[3]}, ${seconds(one[2] - one[1])}`)));
      }
      const most = Math.max(1, ...this.load.map((one) => one[pe + 1] || 0));
      const curve = this.load.filter((one) => one[0] >= begin && one[0] <= this.end)
        .map((one) => `${x(one[0]).toFixed(1)},${(top + lane - 2 - (lane - 5) * (one[pe + 1] || 0) / most).toFixed(1)}`).join(" ");
      if (curve) parts.push(svg("polyline", { class: "load", points: curve }));
    }
    for (let tick = 0; tick <= 4; tick++) {
      const time = begin + this.span * tick / 4;
      const ago = this.now - time;
      parts.push(svg("text", { x: Math.min(width - 60, x(time)).toFixed(0), y: height - 5 }, ago < 5e-3 ? "now" : `−${seconds(ago)}`));
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.height = `${Math.min(360, Math.max(90, height))}px`;
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.replaceChildren(...parts);
    element("window").textContent = `${seconds(this.span)}, ${shown.length} operations; the thin line is the processor time of the PE`;
  }
}

// Processor time of each PE in the last two minutes, over their mean; null where they did next to nothing.
function balance(load) {
  const last = load.slice(-POINTS);
  const sums = last.length ? last[0].slice(1).map((_, pe) => last.reduce((sum, one) => sum + (one[pe + 1] || 0), 0)) : [];
  const mean = sums.reduce((sum, one) => sum + one, 0) / (sums.length || 1);
  return sums.length > 1 && mean > 0.02 * last.length ? sums.map((one) => one / mean) : null;
}

function against(share) {
  const more = Math.round(100 * (share - 1));
  return more === 0 ? "as the mean" : `${more > 0 ? "+" : "−"}${Math.abs(more)} %`;
}

function imbalance(shares) {
  if (!shares) return "no work to compare";
  const most = Math.max(...shares);
  return most < 1.05 ? "none: PEs work alike" : `PE ${shares.indexOf(most)} works ${Math.round(100 * (most - 1))} % more than the mean`;
}

// -- the whole page --

const timeline = new Timeline();
const charts = {
  cpu: new Chart("cpu", "Cores in use", (value) => `${(value || 0).toFixed(2)} cores`),
  memory: new Chart("memory-chart", "Memory of arrays of PE 0", (value) => bytes(value || 0)),
  network: new Chart("network", "Bytes between PEs", (value) => `${bytes(value || 0)}/s`),
};
let before = null;

function say(text, bad = false) {
  const status = element("status");
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("bad", bad);
}

function show(view) {
  element("login").hidden = true;
  element("content").hidden = false;
  if (view.error) return say(`no answer: ${view.error}`, true);
  const processes = view.processes, machine = view.host, stats = view.stats, running = view.state;
  element("name").textContent = view.name;
  document.title = `${view.name} · Atoll`;
  const waiting = view.list.filter((one) => one.waiting).length;
  say(running.operation ? `${running.operation} is running, ${waiting} waiting` : "idle");

  const passed = before ? view.now - before.now : 0;
  let cores = null;
  if (passed > 0.1) {
    const old = new Map(before.processes.map((one) => [one.pid, one.cpu_seconds]));
    cores = processes.map((one) => Math.max(0, (one.cpu_seconds - (old.get(one.pid) ?? one.cpu_seconds)) / passed));
    const moved = (of) => (of.bytes_put || 0) + (of.bytes_got || 0) + (of.bytes_sent || 0);
    const all = cores.reduce((sum, one) => sum + (one || 0), 0);
    const speed = before.stats.commands === undefined ? 0 : Math.max(0, (moved(stats) - moved(before.stats)) / passed);
    charts.cpu.add(all);
    charts.memory.add(stats.memory_in_use || 0);
    charts.network.add(speed);
    element("cpu-now").textContent = `${all.toFixed(2)} of ${machine.cores} cores`;
    element("memory-now").textContent = bytes(stats.memory_in_use || 0);
    element("network-now").textContent = `${bytes(speed)}/s`;
  }
  if (!before || passed > 0.1) before = view;

  timeline.add(view, cores);
  const shares = balance(timeline.load);
  const checkpoint = view.checkpoint || {};
  facts("facts", [
    ["Session", view.kind], ["Host", machine.host], ["PEs", view.pes], ["Threads per PE", view.threads], ["Cores", machine.cores],
    ...(view.pes > 1 ? [["Imbalance", imbalance(shares)]] : []), ["Load", machine.load.toFixed(1)], ["Memory of the host", `${bytes(machine.memory_available)} free of ${bytes(machine.memory_total)}`],
    ["Limit of arrays per PE", stats.memory_limit ? bytes(stats.memory_limit) : "none"], ["Peak of PE 0", bytes(stats.memory_peak || 0)],
    ["Sessions", view.sessions], ["Published", view.published], ["Commands", stats.commands || 0], ["Running for", seconds(view.seconds)],
    ...(checkpoint.path ? [["Checkpoint", checkpoint.error ? "the last attempt failed" : checkpoint.at ? new Date(1e3 * checkpoint.at).toLocaleTimeString() : "none yet"]] : []),
    ["Version", view.version],
  ]);
  const states = { R: "running", S: "sleeping", D: "waits for a disk", T: "stopped", Z: "ended" };
  rows("pes", processes.map((one, pe) => [
    pe, one.pid ?? "", one.threads ?? "", cores ? (cores[pe] || 0).toFixed(2) : "", shares ? against(shares[pe] || 0) : "", one.resident ? bytes(one.resident) : "", states[one.state] || "ended",
  ]), "no PE on this host");

  rows("totals", Object.entries(view.totals).sort((a, b) => b[1][1] - a[1][1]).slice(0, 12).map(([name, [count, total, kind]]) => [
    name, kind, count, total.toFixed(3), seconds(total / count),
  ]), "no operation yet");

  phases(view.phases || {});
  scans(view.scans || []);
  progress(view);
  rows("sessions", view.list.map((one) => [
    one.session, `${one.user} (process ${one.process})`, one.role,
    one.running ? `runs ${one.running}` : one.waiting ? "waits for its turn" : one.connected ? "idle" : "has lost its connection",
    one.calls, seconds(one.seconds), cancelButton(one),
  ]), "no session");
  const most = Math.max(1, ...view.list.map((one) => one.bytes));
  rows("by-session", [...view.list].sort((a, b) => b.bytes - a.bytes).map((one) => [
    one.session, one.user, one.arrays, bytes(one.bytes), one.quota ? bytes(one.quota) : "none",
    meter(one.bytes / (one.quota || most), `memory of session ${one.session}`),
  ]), "no session");
  const largest = Math.max(1, ...view.objects.map((one) => one.bytes));
  rows("by-name", [...view.objects].sort((a, b) => b.bytes - a.bytes).slice(0, 100).map((one) => [
    one.name, one.kind, one.user, one.role, bytes(one.bytes), meter(one.bytes / largest, `memory of ${one.name}`),
  ]), "no named array");
  log(view.lines);
}

function progress(view) {
  const place = element("progress"), running = view.state;
  if (!running.operation) {
    place.replaceChildren(made("p", "No operation is running.", { class: "none" }));
    return;
  }
  const known = running.total > 0;
  const bar = made("progress", "", { max: 1, "aria-label": `progress of ${running.operation}` });
  if (known) bar.value = running.done / running.total;
  place.replaceChildren(made("p", [
    made("strong", running.operation), ` of session ${running.session} for ${seconds(running.seconds)}`,
    known ? `, ${Math.round(100 * running.done / running.total)} %` : "",
  ]), bar);
}

// -- time by phase --

function phases(found) {
  rows("phases", Object.entries(found).sort((a, b) => b[1][0] - a[1][0]).slice(0, 12).map(([name, [total, exchange, wait]]) => {
    const compute = Math.max(0, total - exchange - wait);
    const label = `${name}: compute ${percent(compute / total)}, exchange ${percent(exchange / total)}, wait ${percent(wait / total)}`;
    const bar = svg("svg", { class: "share", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label });
    let at = 0;
    for (const [kind, value] of [["compute", compute], ["exchange", exchange], ["wait", wait]]) {
      const width = total > 0 ? 100 * value / total : 0;
      bar.append(svg("rect", { class: kind, x: at.toFixed(2), width: width.toFixed(2), height: 10 }));
      at += width;
    }
    bar.dataset.key = label;
    return [name, total.toFixed(3), seconds(compute), seconds(exchange), seconds(wait), bar];
  }), "no operation since the dashboard was opened");
}

function percent(share) { return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * (share || 0))} %`; }

// -- plans of scans --

function scans(found) {
  const place = element("plans");
  if (!found.length) {
    if (!place.querySelector(".none")) place.replaceChildren(made("p", "no scan yet", { class: "none" }));
    return;
  }
  place.querySelector(".none")?.remove();
  const wanted = found.map((one) => `${one.session}/${one.number}`);
  for (const old of [...place.children]) if (!wanted.includes(old.dataset.key)) old.remove();
  found.forEach((one, at) => {
    let block = [...place.children].find((child) => child.dataset.key === wanted[at]);
    if (!block) {
      const head = made("tr", ["Step", "Rows", "Bytes", "Time", "Exchanged", "Spilled"].map((name) => made("th", name, { scope: "col" })));
      const table = made("table", [made("caption", "Steps, the first one first"), made("thead", head), made("tbody", "")]);
      block = made("details", [made("summary", ""), table]);
      block.dataset.key = wanted[at];
      block.open = at === 0;
    }
    if (place.children[at] !== block) place.insertBefore(block, place.children[at] || null);
    const last = one.steps.filter((step) => step[1] !== null).at(-1);
    const text = `Scan ${one.number} of session ${one.session}: ${one.state}, ${seconds(one.seconds)}${last ? `, ${last[1].toLocaleString("en")} rows` : ""}`;
    if (block.firstChild.textContent !== text) block.firstChild.textContent = text;
    fill(block.querySelector("tbody"), one.steps.map(([step, count, size, took, exchanged, spilled]) => [
      step, count === null ? "" : count.toLocaleString("en"), size === null ? "" : bytes(size), took ? seconds(took) : "",
      exchanged ? bytes(exchanged) : "", spilled ? bytes(spilled) : "",
    ]), "no step");
  });
}

// -- sampled stacks --

const UNFOLD = 0.1; // share of a frame that is shown unfolded

function tree(stacks) {
  const root = { count: 0, children: new Map() };
  for (const [count, frames] of stacks) {
    let node = root;
    node.count += count;
    for (const frame of frames) {
      if (!node.children.has(frame)) node.children.set(frame, { count: 0, children: new Map() });
      node = node.children.get(frame);
      node.count += count;
    }
  }
  return root;
}

function stacks(profile) {
  const place = element("stacks"), note = element("sampled");
  const counted = profile.samples ? profile.samples - profile.idle : 0;
  note.textContent = counted
    ? `${profile.samples} samples, ${Math.round(1e3 * profile.period)} ms apart; ${percent(profile.idle / profile.samples)} idle. Shares are of the others.`
    : "no sample yet: samples are taken while a dashboard is open and operations run";
  let root = tree(profile.stacks || []);
  while (root.children.size === 1 && [...root.children.values()][0].children.size) root = [...root.children.values()][0]; // frames that all stacks have
  branch(place, root, root.count || 1);
}

function branch(place, node, all) {
  const found = [...node.children].sort((a, b) => b[1].count - a[1].count).slice(0, 12);
  const old = new Map([...place.children].filter((one) => one.dataset.frame).map((one) => [one.dataset.frame, one]));
  const wanted = new Set(found.map(([frame]) => frame));
  for (const [frame, one] of old) if (!wanted.has(frame)) one.remove();
  for (const [frame, below] of found) {
    const share = below.count / all, folds = below.children.size > 0;
    let one = old.get(frame);
    if (one && (one.tagName === "DETAILS") !== folds) { one.remove(); one = null; }
    if (!one) {
      const meterOf = made("meter", "", { min: 0, max: 1, "aria-hidden": "true" });
      const line = [meterOf, made("span", "", { class: "part" }), made("span", frame)];
      one = folds ? made("details", made("summary", line)) : made("div", line);
      one.dataset.frame = frame;
      one.className = "frame";
      if (folds) one.open = share >= UNFOLD;
      place.append(one);
    }
    const line = folds ? one.firstChild : one;
    line.querySelector("meter").value = share;
    const text = percent(share);
    if (line.querySelector(".part").textContent !== text) line.querySelector(".part").textContent = text;
    if (folds) branch(one, below, all);
  }
}

async function sampled() {
  const answer = document.hidden || element("content").hidden ? null : await fetch("profile").catch(() => null);
  if (answer?.ok) stacks(await answer.json());
  setTimeout(sampled, 2000);
}

const requests = new Map(); // session → number of its request; a button outlives several requests

function cancelButton(one) {
  requests.set(one.session, one.request);
  const busy = Boolean(one.running || one.waiting);
  const button = made("button", "Cancel", { type: "button", "aria-label": `Cancel the request of session ${one.session}` });
  button.dataset.key = `${one.session}${busy}`;
  button.disabled = !busy;
  button.onclick = async () => {
    const answer = await post("cancel", { session: one.session, request: requests.get(one.session) });
    element("cancelled").textContent = answer.ok ? `The request of session ${one.session} is cancelled.` : "It could not be cancelled: the session has ended.";
  };
  return button;
}

function log(lines) {
  if (!lines.length) return;
  const place = element("lines");
  const atEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 4;
  place.append(lines.map((one) => `${one[1]}\n`).join(""));
  while (place.childNodes.length > 200) place.firstChild.remove();
  if (atEnd) place.scrollTop = place.scrollHeight;
}

// -- the connection --

function post(address, value) {
  return fetch(address, { method: "POST", headers: { "Content-Type": "application/json", "X-Atoll": "1" }, body: JSON.stringify(value) });
}

let stream = null;
function listen() {
  stream?.close();
  stream = new EventSource("events");
  stream.onmessage = (event) => show(JSON.parse(event.data));
  stream.onerror = async () => {
    say("the connection is lost; trying again …", true);
    if (stream.readyState !== EventSource.CLOSED) return;
    await start(true);
  };
}

async function start(again = false) {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    history.replaceState(null, "", location.pathname + location.search);
    await post("login", { token: given }).catch(() => null);
  }
  const answer = await fetch("state").catch(() => null);
  if (answer?.ok) {
    if (again) { timeline.operations.length = 0; element("lines").replaceChildren(); }
    return listen();
  }
  if (answer?.status === 401) {
    say("a token is needed");
    element("content").hidden = true;
    element("login").hidden = false;
    element("token").focus();
    return;
  }
  say("the dashboard does not answer; trying again …", true);
  setTimeout(() => start(true), 2000);
}

element("login").onsubmit = async (event) => {
  event.preventDefault();
  const answer = await post("login", { token: element("token").value.trim() }).catch(() => null);
  element("login-error").textContent = answer?.ok ? "" : "This is not the token.";
  if (answer?.ok) { element("token").value = ""; start(); }
};

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  element("theme").setAttribute("aria-pressed", String(dark));
}
element("theme").onclick = () => {
  const theme = element("theme").getAttribute("aria-pressed") === "true" ? "light" : "dark";
  localStorage.setItem("atoll-theme", theme);
  setTheme(theme);
};
setTheme(localStorage.getItem("atoll-theme"));
start().then(sampled);
