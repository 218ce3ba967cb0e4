import type { TestedView } from "../bench/tested";

/** Before the first test the headline tells what pressing Test asks; its button stands below. */
export function headline<V extends TestedView>(view: V, asked: string): V {
  const { answer } = view;
  if (answer.state === "ready") return view;
  const { title, text, actions } = answer.message ?? {
    title: "Nothing has been tested yet",
    text: `${view.inputs.models.join(" and ") || "No model"}: ${asked}.`,
    actions: [],
  };
  const others = actions.filter((action) => action.command !== "test");
  return { ...view, answer: { ...answer, message: { title, text, actions: others } } };
}
