/** What one view of the image bench knows, besides what every bench does. */
import {
  FIELDS,
  type ImageAnswer,
  type ImageBenchState,
  type ImageRow,
  type Images,
  type Inputs,
  NO_IMAGE_ANSWER,
  NO_IMAGE_PICTURE,
  OUTPUTS,
  type Outputs,
  type Thumbnails,
} from "../../generated/images";
import type { Reply } from "../../generated/shared";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import type { BenchView } from "../../lib/bench/store";
import type { Hand, Spot } from "../../lib/bench/tested";
import { browserClock, type Clock } from "../../lib/coalesce";
import { TestedStore } from "../../lib/three-steps/store";

type State = ImageBenchState;

export type { Inputs };

export type Outcome = "all" | "with" | "against" | "t" | "f";
export type Sort = "list" | "score" | "name";
export type Within = "score" | "place";

/** How the results are looked at. */
export interface Look {
  outcome: Outcome;
  search: string;
  sort: Sort;
  within: Within;
}

interface ImageHand extends Look, Hand {
  /** Counts up when small pictures come. */
  thumbs: number;
  /** The blend is under the hand. */
  dragging: boolean;
}

export type View = BenchView<Inputs, ImageAnswer> & Outputs & ImageHand;

/** A pause in scrolling after which small pictures are asked for. */
const PAUSE = 50;
/** Most that are asked for at once, and how often for one. */
const MOST = 200;
const TRIES = 3;

export class Store extends TestedStore<Inputs, ImageAnswer, ImageHand, Outputs> {
  /** Small pictures by id, as data addresses; an empty one cannot be opened any more. */
  readonly pictures = new Map<string, string>();
  readonly #sought = new Set<string>();
  readonly #tries = new Map<string, number>();
  #stopSeeking: (() => void) | null = null;

  constructor(to: Host<State>, clock: Clock = browserClock) {
    const local: ImageHand = {
      outcome: "all",
      search: "",
      sort: "list",
      within: "score",
      hovered: null,
      held: null,
      order: idsOf(to.get("images") ?? OUTPUTS.images),
      asked: null,
      undoable: [],
      thumbs: 0,
      dragging: false,
    };
    super(to, { ...FIELDS, local, normal: normalAnswer }, clock);
    this.#take(to.get("thumbnails"));
  }

  override dispose(): void {
    this.#stopSeeking?.();
    super.dispose();
  }

  drag(dragging: boolean): void {
    this.update({ dragging });
  }

  /** Small pictures that are in sight: those that are lacking are asked for; returns how to stop. */
  want(ids: readonly string[]): () => void {
    for (const id of ids) this.#sought.add(id);
    this.#seek();
    return () => {
      for (const id of ids) this.#sought.delete(id);
    };
  }

  /** Waits until something is so, or for as long as is said. */
  until(holds: (view: View) => boolean, milliseconds?: number): Promise<void> {
    return new Promise((done) => {
      const stops: (() => void)[] = [];
      const end = () => {
        for (const stop of stops) stop();
        done();
      };
      if (holds(this.view)) return done();
      stops.push(this.subscribe(() => holds(this.view) && end()));
      if (milliseconds !== undefined) stops.push(this.clock.after(milliseconds, end));
    });
  }

  remove(ids: readonly string[]): Promise<Reply> {
    return this.putAway(ids, "remove", { ids });
  }

  /** Takes a term's pictures away. */
  removeTerm(term: number): Promise<Reply> {
    const { images, terms } = this.view.images;
    const ids = images.filter((image) => image.term === term).map((image) => image.id);
    return this.putAway(ids, "remove-term", { term: terms[term]?.name });
  }

  protected override show(spot: Spot | null): void {
    this.set({ image: spot?.id ?? "" });
  }

  #seek(): void {
    this.#stopSeeking?.();
    this.#stopSeeking = this.clock.after(PAUSE, () => {
      const lacking = [...this.#sought]
        .filter((id) => !this.pictures.has(id) && (this.#tries.get(id) ?? 0) < TRIES)
        .slice(0, MOST);
      if (lacking.length === 0) return;
      for (const id of lacking) this.#tries.set(id, (this.#tries.get(id) ?? 0) + 1);
      this.set({ wanted: lacking });
    });
  }

  #take(thumbnails: Partial<Thumbnails> | undefined): void {
    for (const [id, address] of Object.entries(thumbnails?.pictures ?? {}))
      this.pictures.set(id, String(address));
    for (const id of Object.keys(thumbnails?.missing ?? {})) this.pictures.set(id, "");
  }

  protected override afterOutput(name: keyof Outputs): Partial<ImageHand> {
    if (name === "thumbnails") {
      this.#take(this.view.thumbnails);
      this.#seek();
      return { thumbs: this.view.thumbs + 1 };
    }
    if (name !== "images" && name !== "scores") return {};
    const { images, scores } = this.view;
    return this.among(idsOf(images), scores.images === images.version);
  }
}

const idsOf = ({ images }: Images) => images.map((image) => image.id);

export const normalAnswer = answerReader(NO_IMAGE_ANSWER, NO_IMAGE_PICTURE);

const places = new WeakMap<Images, Map<string, number>>();

/** Where a picture stands among all; -1 when it is not there. */
export function placeAmong(images: Images, id: string): number {
  let known = places.get(images);
  if (!known) {
    known = new Map(images.images.map((image, i) => [image.id, i]));
    places.set(images, known);
  }
  return known.get(id) ?? -1;
}

export const imageOf = ({ images }: Pick<View, "images">, id: string): ImageRow | undefined =>
  images.images[placeAmong(images, id)];

/** Names of both concept lists, also before there is a picture: in the order of their groups. */
export function conceptNames({ answer, inputs }: Pick<View, "answer" | "inputs">) {
  if (answer.picture) return answer.picture.concepts;
  const of = (kind: string) => inputs.lists.filter((list) => list.kind === kind);
  const lists = of("attributes");
  const tied = (group: number) => {
    const name = of("groups")[group]?.name;
    return lists.find((list) => name && list.of?.includes(name)) ?? lists[group];
  };
  return [tied(0)?.name ?? "one list", tied(1)?.name ?? "the other"] as [string, string];
}

/** Which model's answers the morphs are for. */
export const morphModel = ({ inputs }: Pick<View, "inputs">) =>
  inputs.models.includes(inputs.morph_model) ? inputs.morph_model : (inputs.models[0] ?? "");
