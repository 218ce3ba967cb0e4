// A question with choices or a field for a number, and buttons. Arrow keys and the space bar only
// select: nothing is answered before its button is pressed.

let groups = 0;

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function choices(model) {
  const group = `biaslab-question-${++groups}`;
  const inputs = model.get("options").map((option) => {
    const input = element("input", { type: "radio", name: group, value: option });
    input.addEventListener("change", () => select(model, option));
    return input;
  });
  const labels = inputs.map((input) => element("label", {}, input, element("span", {}, input.value)));
  const show = () => {
    for (const input of inputs) input.checked = input.value === model.get("selected");
  };
  return { nodes: labels, inputs, show };
}

function field(model) {
  const input = element("input", { type: "text", inputmode: "decimal", size: "10" });
  input.setAttribute("aria-label", model.get("question"));
  input.addEventListener("input", () => select(model, input.value));
  const show = () => {
    if (input.value !== model.get("selected")) input.value = model.get("selected");
  };
  return { nodes: [input], inputs: [input], show };
}

function select(model, answer) {
  model.set("selected", answer);
  model.save_changes();
}

function render({ model, el }) {
  const asked = model.get("options").length ? choices(model) : field(model);
  const commit = element("button", { type: "button", class: "commit" });
  const pass = element("button", { type: "button" });
  const note = element("div", { role: "status" });
  // The answer travels along: the message may arrive before the change of the selection.
  const answer = () => model.send({ do: "answer", answer: model.get("selected") });
  commit.addEventListener("click", answer);
  pass.addEventListener("click", () => model.send({ do: "pass" }));
  const buttons = element("div", { class: "buttons" }, commit, pass);
  const fields = element("div", { role: "group", "aria-label": model.get("question") }, ...asked.nodes);
  // Without the attribute JupyterLab takes the keys of what has the focus: an arrow leaves the cell.
  for (const node of [...asked.inputs, commit, pass]) node.dataset.lmSuppressShortcuts = "true";
  const root = element("div", { class: "biaslab-question" }, fields, buttons, note);
  if (asked.inputs[0].type === "text")
    asked.inputs[0].addEventListener("keydown", (event) => {
      if (event.key === "Enter") answer();
    });
  const update = () => {
    asked.show();
    const open = model.get("phase") === "open";
    fields.hidden = !open;
    commit.textContent = open ? model.get("commit_label") : "Change";
    commit.hidden = model.get("phase") === "closed";
    commit.disabled = open && !model.get("selected");
    pass.textContent = model.get("skip_label");
    pass.hidden = !open || !model.get("skip_label");
    note.textContent = model.get("note");
  };
  model.on("change", update);
  update();
  el.append(root);
  return () => model.off("change", update);
}

export default { render };
