/** What is drawn of WEAT. */
import type { Picture, Weat } from "../../generated/association";
import type { Line } from "./Histogram";
import { type Inputs, weatsOf } from "./store";
import { number, splitsText } from "./texts";

/** One axis for both subjects: it holds all splits and what was observed, with its interval. */
export function weatDomain(picture: Picture | null): [number, number] {
  const ends = weatsOf(picture).flatMap((w) => [
    ...w.null_edges,
    w.statistic,
    w.statistic_low ?? 0,
    w.statistic_high ?? 0,
  ]);
  const reach = 1.12 * Math.max(0.01, ...ends.map(Math.abs));
  return [-reach, reach];
}

/** Whether a bin holds splits that reach the observed value. */
export function reachedBy(weat: Weat, alternative: Inputs["alternative"]) {
  const { statistic } = weat;
  const slack = 1e-9;
  return (from: number, to: number): boolean => {
    if (alternative === "greater") return to > statistic - slack;
    if (alternative === "less") return from < statistic + slack;
    const far = Math.abs(statistic);
    return to > far - slack || from < -far + slack;
  };
}

export function observedLine(weat: Weat): Line {
  const [reach, p] = splitsText(weat).split(/, (?=p = )/);
  return {
    value: weat.statistic,
    look: "observed",
    ends: [weat.statistic_low, weat.statistic_high],
    texts: [
      `observed ${number(weat.statistic, Math.abs(weat.statistic) < 0.01 ? 4 : 3)}`,
      `${reach},`,
      p ?? "",
    ],
  };
}
