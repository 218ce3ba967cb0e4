// The figure of a trial with its two answers, by button or by key, and what starts the trials.

const KEYS = { f: "upper", ArrowUp: "upper", j: "lower", ArrowDown: "lower" };

function button(label, press) {
  const node = document.createElement("button");
  node.type = "button";
  node.dataset.lmSuppressShortcuts = "true";
  node.textContent = label;
  node.addEventListener("click", press);
  return node;
}

function render({ model, el }) {
  const running = () => model.get("trial") >= 0;
  // With its number, so that a key that is held down does not answer the next trial too.
  const answer = (line) => model.send({ do: line, trial: model.get("trial") });
  const figure = document.createElement("div");
  const trial = document.createElement("div");
  trial.append(
    button("Upper line (F or ↑)", () => answer("upper")),
    button("Lower line (J or ↓)", () => answer("lower")),
  );
  const start = button("", () => model.send({ do: "start" }));
  const begin = document.createElement("div");
  begin.append(start, button("Let a simulated observer answer", () => model.send({ do: "simulate" })));
  const hint = document.createElement("p");
  const root = document.createElement("div");
  root.className = "biaslab-trials";
  root.tabIndex = -1;
  // Without the attribute JupyterLab takes the keys of what has the focus.
  root.dataset.lmSuppressShortcuts = "true";
  root.append(figure, trial, begin, hint);
  root.addEventListener("keydown", (event) => {
    const line = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!line || !running() || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.repeat) answer(line);
  });
  const tell = () => {
    hint.textContent = root.contains(document.activeElement)
      ? "F or ↑ for the upper line, J or ↓ for the lower one."
      : "Click the picture to answer with the keys F and J, or ↑ and ↓.";
  };
  root.addEventListener("focusin", tell);
  root.addEventListener("focusout", () => setTimeout(tell));
  const update = () => {
    figure.innerHTML = model.get("figure");
    trial.hidden = hint.hidden = !running();
    begin.hidden = running();
    start.textContent = model.get("start_label");
    tell();
  };
  const focus = () => {
    if (model.get("trial") === 0) root.focus({ preventScroll: true });
  };
  model.on("change", update);
  model.on("change:trial", focus);
  update();
  el.append(root);
  return () => {
    model.off("change", update);
    model.off("change:trial", focus);
  };
}

export default { render };
