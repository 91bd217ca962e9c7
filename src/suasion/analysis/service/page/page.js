"use strict";
// Everything that is shown is set as text, never as markup: answers are untrusted.
const at = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const AROUND = 3, MOST_LINES = 3000, LONGEST = 2000; // of a long answer, only the lines around findings are shown
let tasks = [];

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

async function post(path, body) {
  const reply = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const data = await reply.json();
  if (!reply.ok) throw new Error(data.error || `The service said ${reply.status}.`);
  return data;
}

function chosen() {
  return tasks.find((task) => task.name === at("task").value);
}

function describe() {
  const task = chosen();
  at("goal").textContent = task.goal;
  at("given").hidden = !task.given;
  at("kind").textContent = task.given || "";
}

function showFinding(finding) {
  const made = element("div", finding.undecided ? "finding undecided" : "finding");
  made.append(element("span", "", finding.message), element("code", "", finding.code));
  return made;
}

function showLine(text, number, findings) {
  const row = element("div", findings.length ? "marked" : "");
  const shown = element("span", "text");
  const column = findings.length && findings[0].column ? findings[0].column - 1 : -1;
  const cut = text.length > LONGEST ? text.slice(0, LONGEST) + " …" : text;
  if (column >= 0 && column < cut.length) {
    const letters = Array.from(cut); // columns count characters, not UTF-16 units
    const end = letters.slice(column).findIndex((sign, place) => place && /\s/.test(sign));
    const stop = end < 0 ? letters.length : column + end;
    shown.append(letters.slice(0, column).join(""), element("mark", "", letters.slice(column, stop).join("")), letters.slice(stop).join(""));
  } else shown.textContent = cut || " ";
  row.append(element("span", "number", String(number)), shown);
  return row;
}

function showAnswer(answer, findings) {
  const lines = answer.split(/\r\n|\r|\n/);
  const byLine = new Map();
  for (const finding of findings) if (finding.line) byLine.set(finding.line, [...(byLine.get(finding.line) || []), finding]);
  const near = (number) => {
    for (let other = number - AROUND; other <= number + AROUND; other++) if (byLine.has(other)) return true;
    return false;
  };
  const parts = [];
  let skipped = 0;
  for (let number = 1; number <= lines.length; number++) {
    if (lines.length > MOST_LINES && !near(number)) { skipped++; continue; }
    if (skipped) parts.push(element("div", "gap", `… ${skipped} lines`));
    skipped = 0;
    const here = byLine.get(number) || [];
    parts.push(showLine(lines[number - 1], number, here), ...here.map(showFinding));
  }
  if (skipped) parts.push(element("div", "gap", `… ${skipped} lines`));
  at("lines").replaceChildren(...parts);
}

function showVerdict(answer, verdict) {
  at("verdict").textContent = verdict.verdict + (verdict.findings.length ? `: ${verdict.findings.length} found` : "");
  at("verdict").className = verdict.verdict;
  at("general").replaceChildren(...verdict.findings.filter((finding) => !finding.line).map((finding) => {
    const item = element("li");
    item.append(showFinding(finding));
    return item;
  }));
  showAnswer(answer, verdict.findings);
  at("scores").replaceChildren(...Object.entries(verdict.scores).map(([name, value]) => {
    const row = element("tr");
    row.append(element("td", "", name.replaceAll("_", " ")), element("td", "", value.toFixed(2)));
    return row;
  }));
}

function showMap(map) {
  const svg = drawn("svg", { width: map.width, height: map.height, viewBox: `0 0 ${map.width} ${map.height}`, role: "img" });
  svg.append(drawn("title", {}, `A map of ${map.boxes.length} nodes and ${map.arrows.length} arrows`));
  const marker = drawn("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" });
  marker.append(drawn("path", { d: "M 0 0 L 8 4 L 0 8 z", fill: "context-stroke" }));
  svg.append(marker);
  for (const arrow of map.arrows) {
    const path = drawn("path", { d: arrow.path, class: `arrow ${arrow.type}`, "marker-end": "url(#head)" });
    path.append(drawn("title", {}, arrow.type));
    svg.append(path);
  }
  for (const box of map.boxes) {
    const group = drawn("g", { class: box.kind });
    group.append(drawn("rect", { x: box.x, y: box.y, width: box.width, height: box.height }));
    box.lines.forEach((line, number) => {
      group.append(drawn("text", { x: box.x + 10, y: box.y + 22 + 16 * number, class: number < box.titles ? "title" : "said" }, line));
    });
    svg.append(group);
  }
  at("map").replaceChildren(svg);
}

async function verify(event) {
  event.preventDefault();
  const task = chosen();
  const answer = at("answer").value;
  at("go").disabled = true;
  at("result").hidden = true;
  at("map").replaceChildren();
  at("map-note").textContent = "";
  try {
    const reference = task.given ? at("reference").value : "";
    const said = await post(`verify/${task.name}`, { source: at("source").value, reference, answers: [answer] });
    showVerdict(answer, said.verdicts[0]);
    const hasMap = task.artefacts.includes("map") || task.artefacts.includes("reconstruction");
    at("map-title").hidden = !hasMap;
    if (hasMap) {
      await post("map", { task: task.name, answer }).then(
        (map) => (map.boxes.length ? showMap(map) : (at("map-note").textContent = "Nothing is related to anything, so there is nothing to draw.")),
        (error) => (at("map-note").textContent = error.message),
      );
    }
  } catch (error) {
    at("verdict").textContent = error.message;
    at("verdict").className = "refused";
    for (const id of ["general", "lines", "scores"]) at(id).replaceChildren();
    at("map-title").hidden = true;
  }
  at("result").hidden = false;
  at("go").disabled = false;
}

async function start() {
  tasks = await (await fetch("tasks")).json();
  at("task").replaceChildren(...tasks.map((task) => element("option", "", task.name)));
  at("task").addEventListener("change", describe);
  at("form").addEventListener("submit", verify);
  at("example").addEventListener("click", () => {
    const { source, answer, reference } = chosen().example;
    at("source").value = source;
    at("answer").value = answer;
    at("reference").value = reference;
  });
  describe();
}

start();
