import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeModel } from "../dev/fake-model";
import { recorded } from "../dev/recorded";
import associationStates from "../dev/recorded/association.json";
import decisionsStates from "../dev/recorded/decisions.json";
import imagesStates from "../dev/recorded/images.json";
import occupationsStates from "../dev/recorded/occupations.json";
import opinionStates from "../dev/recorded/opinion.json";
import posteriorStates from "../dev/recorded/posterior.json";
import psychometricStates from "../dev/recorded/psychometric.json";
import ratingStates from "../dev/recorded/rating.json";
import sentencesStates from "../dev/recorded/sentences.json";
import association from "../src/benches/association";
import decisions from "../src/benches/decisions";
import images from "../src/benches/images";
import occupations from "../src/benches/occupations";
import opinion from "../src/benches/opinion";
import posterior from "../src/benches/posterior";
import psychometric from "../src/benches/psychometric";
import rating from "../src/benches/rating";
import sentences from "../src/benches/sentences";
import { byId, settle } from "./dom";
import { mounted, shown } from "./shown";

const BENCHES = {
  association: [association, associationStates],
  decisions: [decisions, decisionsStates],
  images: [images, imagesStates],
  occupations: [occupations, occupationsStates],
  opinion: [opinion, opinionStates],
  posterior: [posterior, posteriorStates],
  psychometric: [psychometric, psychometricStates],
  rating: [rating, ratingStates],
  sentences: [sentences, sentencesStates],
} as const;

for (const [name, [bench, scenarios]] of Object.entries(BENCHES)) {
  test(`a host without fields shows an empty bench (${name})`, async () => {
    const { root } = mounted(bench, new FakeModel({}));
    await settle();
    assert.equal(byId(root, "bench")!.dataset.state, "empty");
  });

  test(`two benches on a page share no id, and one that is closed listens no more (${name})`, async () => {
    const state = recorded<Record<string, unknown>>(scenarios)();
    const [first, second] = [shown(bench, state), shown(bench, state)];
    await settle();
    const before = second.root.innerHTML;
    const ids = [first.root, second.root].flatMap((root) =>
      [...root.querySelectorAll("[id]")].map((node) => node.id),
    );
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(first.model.listening > 0);
    first.close();
    await settle();
    assert.equal(first.model.listening, 0);
    assert.equal(second.root.innerHTML, before);
  });
}
