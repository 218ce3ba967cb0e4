/** The portraits of a picture, in the order of the screen. */
import { type Face, NO_PORTRAITS, type Portraits } from "../../../generated/posterior";
import { percent } from "../../../lib/format";
import type { View } from "../store";

export type { Face };

export interface WordFace extends Face {
  /** What the model said; empty of a portrait without a word. */
  word: string;
}

export const portraitsOf = (view: View): Portraits =>
  view.answer.picture?.portraits ?? NO_PORTRAITS;

/** The word that is on the screen before one is typed. */
const FIRST_WORD = "nurse";
export const wordOf = ({ inputs }: View): string => inputs.word || FIRST_WORD;

const listed = new WeakMap<Portraits, WordFace[]>();

/** All draws on the screen: galleries first, then the chains. */
export function facesOf(portraits: Portraits): WordFace[] {
  let faces = listed.get(portraits);
  if (!faces) {
    const { galleries, chains, words } = portraits;
    const of = (word: string) => (face: Face) => ({ ...face, word });
    faces = [
      ...galleries.flatMap(({ word, faces }) => faces.map(of(word))),
      ...chains.flatMap(({ warmup, kept }) => [...warmup, ...kept].map(of(words[0] ?? ""))),
    ];
    listed.set(portraits, faces);
  }
  return faces;
}

/** The one that is picked, else the one that says the word most surely. */
export function pickedFace(view: View): WordFace | null {
  const portraits = portraitsOf(view);
  const faces = facesOf(portraits);
  const first = portraits.galleries[0]?.faces.length ?? 0;
  return faces.find(({ place }) => place === view.face) ?? faces[first - 1] ?? null;
}

/** How surely the model says the word. */
export const surely = (face: Face | undefined) => (face && face.p !== null ? percent(face.p) : "");

/** "80 % women (78 to 82)". */
export const shareText = (share: number) => `${percent(share)} women`;

/** Column and row of a place on a sheet. */
export const spotOf = (place: number, columns: number): [number, number] => [
  place % columns,
  Math.floor(place / columns),
];

/** The style of an element that shows a place of the sheet. */
export function spotStyle(place: number, columns: number) {
  const [column, row] = spotOf(place, columns);
  return { "--column": column, "--row": row };
}
