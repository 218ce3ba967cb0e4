/** The dev page of the rating bench; the address chooses what is shown: rating.html. */
import bench from "../src/benches/rating";
import type { Inputs } from "../src/benches/rating/store";
import type { RatingAnswer } from "../src/generated/rating";
import { FakeModel } from "./fake-model";
import { detailOf, POWER, predictedOf, stateOf } from "./fake-rating";
import { lag, mount, query, show } from "./shown";

function makeModel(): FakeModel {
  const inputs: Partial<Inputs> = {
    service: query.get("service") ?? "Apertium",
    attribute: query.get("attribute") ?? "gender",
    language: query.get("language") ?? "es",
  };
  const state = stateOf(inputs, {
    tested: show !== "empty",
    running: show === "running",
  }) as unknown as Record<string, unknown>;
  if (query.get("power")) state.power = POWER;
  if (show === "error")
    state.answer = {
      ...(state.answer as RatingAnswer),
      state: "error",
      message: {
        title: "Apertium does not answer",
        text: "No answer in 30 s. 542 answers are kept; the last picture stays.",
        actions: [{ label: "Try again", command: "retry" }],
      },
    };
  const model = new FakeModel(state);
  const now = () => state as unknown as Inputs & { generation: number };
  model.onMessage = (changes) => {
    setTimeout(() => {
      if ("command" in changes) {
        const { id, name } = model.get("command") as { id: number; name: string };
        if (name === "power") model.receive({ power: POWER });
        return model.receive({ reply: { id, ok: true, message: `${name} was asked for.` } });
      }
      const { language, block, generation } = now();
      const answer = state.answer as RatingAnswer;
      const picture = answer.picture && predictedOf(answer.picture, now());
      model.receive({
        ...(picture ? { detail: detailOf(language, block) } : {}),
        answer: { ...answer, picture, generation },
      });
    }, lag);
  };
  return model;
}

mount(bench, makeModel);
