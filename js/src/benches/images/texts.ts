/** Numbers and sentences of the image bench as people read them. */
import type { ImageRow, Images, Score } from "../../generated/images";
import { intervalDigits, many, points, whole } from "../../lib/format";
import type { Outcome, View } from "./store";
import { conceptNames, placeAmong } from "./store";

/** Kinds of models in a word. */
export const KINDS = {
  clip: "captions",
  siglip: "captions",
  git: "captions",
  vilt: "questions",
  blip: "questions",
  observer: "simulated",
};

/** What is asked, with the names of both concept lists. */
export function question(view: View): string {
  const [one, two] = conceptNames(view);
  return view.inputs.lists.length === 0
    ? "Which word does the model pair with a portrait?"
    : `Which word does the model pair with a portrait: “${one}” or “${two}”?`;
}

/** Decimals with which a score and its interval are written. */
const digitsOf = ({ low, high }: Score) =>
  low === null || high === null ? 0 : intervalDigits([low, high]);

/** Scores go from 0 to 100, neutral at 50: "58". */
export const scoreText = (score: Score) =>
  score.score === null ? "–" : points(score.score, digitsOf(score));

/** "55–62", or nothing where there is no interval. */
export function rangeText(score: Score): string {
  const [low, high] = [score.low, score.high];
  if (low === null || high === null) return "";
  return `${points(low, digitsOf(score))}–${points(high, digitsOf(score))}`;
}

/** What a screen reader says of a score. */
export function scoreSaid(score: Score): string {
  if (score.score === null) return "no score";
  const range = rangeText(score).replace("–", " to ") || "no interval";
  const above = `${whole(score.stereotyped)} of ${many(score.images, "picture")} above 50`;
  return `score ${scoreText(score)}, ${range}, ${above}`;
}

export const FILTERS: { value: Outcome; label: string }[] = [
  { value: "all", label: "All" },
  { value: "with", label: "With" },
  { value: "against", label: "Against" },
  { value: "t", label: "Even" },
  { value: "f", label: "Failed" },
];

/** What a square's letter says. */
export function toneSaid(tone: string): string {
  if (tone === "t") return "even";
  if (tone === "f") return "failed";
  if (tone === "-" || tone === "") return "not tested yet";
  return tone < "a" ? "with the stereotype" : "against the stereotype";
}

/** "240 pictures, 6 removed". */
export function countText({ images, rejected }: Images): string {
  const count = many(images.length, "picture");
  return rejected.length > 0 ? `${count}, ${whole(rejected.length)} not used` : count;
}

/** "female nurse, picture 34 of 240". */
export function placeText(set: Images, image: ImageRow): string {
  const place = whole(placeAmong(set, image.id) + 1);
  return `${set.terms[image.term]?.name ?? ""}, picture ${place} of ${whole(set.images.length)}`;
}
