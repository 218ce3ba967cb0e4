import { useMemo, useRef } from "preact/hooks";
import type { Word } from "../../../generated/sentences";
import { fixed } from "../../../lib/format";
import { useFont, useWidth } from "../../../lib/hooks";
import { type Column, columnsOf, largest, linesOf } from "./lines";

interface Props {
  words: readonly Word[];
  /** Which of the models' values are drawn. */
  model: number;
  groups: readonly [number, number];
  unit: string;
}

const LABELS = 88;
/** Highest that a bar gets, above or below. */
const BAR = 20;

/** Both versions word over word; between them what each word adds for the stereotyped one. */
export function Words({ words, model, groups, unit }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 600);
  const font = useFont(box);
  const columns = useMemo(() => columnsOf(words, model), [words, model, font]);
  const narrow = width < 460;
  const lines = linesOf(columns, width - (narrow ? 0 : LABELS));
  const most = largest(columns);
  return (
    <div ref={box} class={`versions rest ${narrow ? "narrow-versions" : ""}`}>
      {lines.map((line, i) => (
        <table key={i} class="version-line">
          <colgroup>
            <col style={{ width: narrow ? "0" : `${LABELS}px` }} />
            {line.map((column, k) => (
              <col key={k} style={{ width: `${column.width}px` }} />
            ))}
          </colgroup>
          <tbody>
            <Version line={line} side="first" group={groups[0]} model={model} unit={unit} />
            <tr class="differences">
              <th scope="row">difference</th>
              {line.map((column, k) => (
                <Difference key={k} column={column} most={most} unit={unit} model={model} />
              ))}
            </tr>
            <Version line={line} side="second" group={groups[1]} model={model} unit={unit} />
          </tbody>
        </table>
      ))}
    </div>
  );
}

interface VersionProps {
  line: readonly Column[];
  side: "first" | "second";
  group: number;
  model: number;
  unit: string;
}

function Version({ line, side, group, model, unit }: VersionProps) {
  const stereotyped = side === "first";
  return (
    <tr>
      <th scope="row" class={stereotyped ? "with" : "against"}>
        {stereotyped ? "stereotyped" : "against"}
      </th>
      {line.map(({ word }, k) => {
        const value = word.values[model]?.[stereotyped ? 0 : 1];
        const marked = word.role === "term" || word.role === "agrees";
        return (
          <td key={k} title={typeof value === "number" ? `${fixed(value, 3)} ${unit}` : undefined}>
            <span
              class={`word v-${word.role} ${marked ? (group === 1 ? "c2" : "c1") : ""}`}
              dir="auto"
            >
              {word[side] || "–"}
            </span>
          </td>
        );
      })}
    </tr>
  );
}

interface DifferenceProps {
  column: Column;
  most: number;
  unit: string;
  model: number;
}

function Difference({ column, most, unit, model }: DifferenceProps) {
  const { difference, text, word } = column;
  if (difference === null) return <td class="difference none" data-testid="word-difference" />;
  const high = Math.max(1, Math.round((BAR * Math.abs(difference)) / most));
  const up = difference >= 0;
  return (
    <td
      class="difference"
      data-testid="word-difference"
      data-value={difference}
      data-first={word.values[model]?.[0]}
      data-second={word.values[model]?.[1]}
      title={`${fixed(difference, 3)} ${unit}`}
    >
      <span class={`difference-bar ${up ? "up" : "down"}`} style={{ height: `${high}px` }}>
        {text && <small>{text}</small>}
      </span>
      {!text && <span class="visually-hidden">{fixed(difference, 2)}</span>}
    </td>
  );
}
