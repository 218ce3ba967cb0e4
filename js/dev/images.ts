/** The dev page of the image bench; the address chooses what is shown: images.html. */
import bench from "../src/benches/images";
import type { Inputs } from "../src/benches/images/store";
import type { ImageAnswer, ImageScores, Images } from "../src/generated/images";
import { detailOf, morphAt, morphOf, painted, stateOf } from "./fake-images";
import { FakeModel } from "./fake-model";
import { lag, mount, query, show } from "./shown";

function makeModel(): FakeModel {
  const models = (query.get("models") ?? "portrait-clip").split(",");
  const inputs: Partial<Inputs> = {
    models,
    step: Number(query.get("step") ?? 3),
    alpha: Number(query.get("alpha") ?? 0.4),
  };
  const state = stateOf(inputs, {
    tested: show !== "empty",
    morphs: show !== "empty",
    each: Number(query.get("each") ?? 30),
  }) as unknown as Record<string, unknown>;
  const model = new FakeModel(state);
  const now = () => state as unknown as Inputs & { generation: number };
  let number = 0;
  model.onMessage = (changes) => {
    setTimeout(() => {
      if ("command" in changes) {
        const { id, name } = model.get("command") as { id: number; name: string };
        return model.receive({ reply: { id, ok: true, message: `${name} was asked for.` } });
      }
      const { image, wanted, morph_item, alpha, generation } = now();
      const [images, scores] = [state.images as Images, state.scores as ImageScores];
      const pictures = Object.fromEntries(wanted.map((id, i) => [id, painted(31 * i)]));
      model.receive({
        ...(image ? { detail: detailOf(images, scores, image) } : {}),
        ...("wanted" in changes ? { thumbnails: { number: ++number, pictures, missing: {} } } : {}),
        ...("morph_item" in changes ? { morph: morphOf(morph_item, models[0]!) } : {}),
        morph_at: morphAt(morph_item, models[0]!, alpha),
        answer: { ...(state.answer as ImageAnswer), generation },
      });
    }, lag);
  };
  return model;
}

mount(bench, makeModel);
