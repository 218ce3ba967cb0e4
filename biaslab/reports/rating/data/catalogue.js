"use strict";
// Search and composition. Every prediction is looked up: Python made them all.
const data = JSON.parse(document.getElementById("data").textContent);
const make = (tag, text = "", settings = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...settings });

const filters = document.getElementById("filters");
const rows = [...document.querySelectorAll(".cards li")];
function search() {
  const { words, kind, attribute, language, rating, since } = Object.fromEntries(
    new FormData(filters),
  );
  const sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const { dataset: is, textContent } = row;
    row.hidden = !(
      sought.every((word) => textContent.toLowerCase().includes(word)) &&
      (!kind || is.kind === kind) &&
      (!attribute || is.attribute === attribute) &&
      (!language || is.language.split(" ").includes(language)) &&
      (!rating || is.rating === rating) &&
      (!since || is.date >= since)
    );
  }
  const shown = rows.filter((row) => !row.hidden).length;
  document.getElementById("count").textContent = `${shown} of ${rows.length} shown`;
}
filters.addEventListener("input", search);
filters.addEventListener("submit", (event) => event.preventDefault());

const form = document.getElementById("chain");
const outcome = document.getElementById("outcome");
let chosen = [];
function choose(place, value) {
  chosen = value === "" ? chosen.slice(0, place) : [...chosen.slice(0, place), Number(value)];
  draw();
  form.querySelectorAll("select")[place].focus();
}
function draw() {
  form.replaceChildren();
  const count = Math.min(Math.max(chosen.length + 1, 2), data.longest);
  for (let place = 0; place < count; place++) {
    const before = data.cards[chosen[place - 1]];
    const names = before ? before.fits : place ? [] : data.cards.map((_, k) => k);
    const select = make("select", "", { disabled: names.length === 0 });
    select.append(make("option", place < 2 ? "choose a service" : "no other", { value: "" }));
    for (const k of names) {
      const { name, stamp, attribute, date } = data.cards[k];
      select.append(make("option", `${name}: ${stamp}, ${attribute}, ${date}`, { value: k }));
    }
    select.value = chosen[place] ?? "";
    select.addEventListener("change", () => choose(place, select.value));
    const label = make("label", place ? "then" : "first");
    label.append(select);
    form.append(label);
  }
  outcome.replaceChildren(...(chosen.length > 1 ? found() : []));
}
function found() {
  const services = chosen.map((k) => data.cards[k]);
  const of = (ratings) => data.predictions[ratings.join(" ")];
  const measured = data.measured[chosen.join(" ")];
  const whole = measured && data.cards[measured.card];
  const parts = [make("p", of(services.map((one) => one.rating)).text, { className: "finding" })];
  const told = make("p", measured ? `${measured.text} ` : "");
  if (whole) told.append(make("a", "The card of the chain", { href: `cards/${whole.id}.html` }));
  else told.textContent = "Not measured: the catalogue has no card of this chain.";
  parts.push(told);
  const through = (one, language) => one.ratings[language] ?? one.ratings[""];
  const languages = Object.keys(data.languages).filter(
    (language) =>
      services.some((one) => language in one.ratings) &&
      services.every((one) => through(one, language)),
  );
  if (languages.some((language) => language)) {
    const table = make("table");
    const head = make("tr");
    head.append(...["through", "predicted", "measured"].map((name) => make("th", name)));
    table.append(head);
    for (const language of languages) {
      const line = make("tr");
      const prediction = of(services.map((one) => through(one, language))).rating;
      const rating = (whole && through(whole, language)) ?? "";
      for (const text of [data.languages[language], prediction, rating])
        line.append(make("td", text));
      table.append(line);
    }
    parts.push(table);
  }
  return parts;
}
draw();
