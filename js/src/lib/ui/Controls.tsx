import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useUid } from "../uid";
import { Chevron } from "./Icons";

interface Labelled {
  label: string;
  testid: string;
  aside?: ComponentChildren;
}

export interface Option<V> {
  value: V;
  label: string;
  disabled?: boolean;
}

/** Options that are called what they are. */
export const optionsOf = (values: readonly string[]): Option<string>[] =>
  values.map((value) => ({ value, label: value }));

export function Head({
  id,
  label,
  aside,
}: {
  id: string;
  label: string;
  aside?: ComponentChildren;
}) {
  return (
    <div class="control-head">
      <label for={id}>{label}</label>
      {aside}
    </div>
  );
}

interface SelectProps<V extends string> extends Labelled {
  value: V;
  options: readonly Option<V>[];
  onChange: (value: V) => void;
}

export function Select<V extends string>(props: SelectProps<V>) {
  const id = useUid();
  const known = props.options.some((o) => o.value === props.value);
  return (
    <div class="control">
      <Head id={id} label={props.label} aside={props.aside} />
      <div class="select">
        <select
          id={id}
          class="field"
          data-testid={props.testid}
          value={props.value}
          onChange={(e) => props.onChange(e.currentTarget.value as V)}
        >
          {!known && <option value={props.value}>{props.value || "none"}</option>}
          {props.options.map((o) => (
            <option key={o.value} value={o.value} disabled={o.disabled}>
              {o.label}
            </option>
          ))}
        </select>
        <Chevron />
      </div>
    </div>
  );
}

interface SliderProps extends Labelled {
  value: number;
  min: number;
  max: number;
  step: number;
  shown: string;
  spoken?: string;
  disabled?: boolean;
  onInput: (value: number) => void;
  /** When the handle is let go; not after a key, which another may follow. */
  onChange?: (value: number) => void;
}

export function Slider(props: SliderProps) {
  const id = useUid();
  const { value, min, max } = props;
  const byKey = useRef(false);
  const fill = max > min ? ((value - min) / (max - min)) * 100 : 0;
  return (
    <div class="control">
      <Head id={id} label={props.label} aside={<span class="value">{props.shown}</span>} />
      <input
        id={id}
        class="slider"
        type="range"
        data-testid={props.testid}
        min={min}
        max={max}
        step={props.step}
        value={value}
        disabled={props.disabled}
        aria-valuetext={props.spoken ?? props.shown}
        style={{ "--fill": `${fill}%` }}
        onPointerDown={() => {
          byKey.current = false;
        }}
        onKeyDown={() => {
          byKey.current = true;
        }}
        onInput={(e) => props.onInput(e.currentTarget.valueAsNumber)}
        onChange={(e) => {
          if (!byKey.current) props.onChange?.(e.currentTarget.valueAsNumber);
        }}
      />
    </div>
  );
}

interface SegmentedProps<V extends string> extends Labelled {
  value: V;
  options: readonly Option<V>[];
  columns?: number;
  onChange: (value: V) => void;
}

/** Radio buttons side by side; each carries the test id `TESTID-VALUE`. */
export function Segmented<V extends string>(props: SegmentedProps<V>) {
  const id = useUid();
  const columns = props.columns ?? props.options.length;
  return (
    <fieldset class="control" aria-labelledby={id}>
      <div class="control-head">
        <span id={id}>{props.label}</span>
        {props.aside}
      </div>
      <div class={`segmented ${columns === 2 ? "in-twos" : ""}`} style={{ "--columns": columns }}>
        {props.options.map((o) => (
          <label key={o.value}>
            <input
              class="overlay-input"
              type="radio"
              name={id}
              value={o.value}
              checked={o.value === props.value}
              data-testid={`${props.testid}-${o.value}`}
              onChange={() => props.onChange(o.value)}
            />
            {o.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  label: string;
  testid: string;
  value: boolean;
  title?: string;
  onChange: (value: boolean) => void;
}

export function Switch(props: SwitchProps) {
  return (
    <label class="switch" title={props.title}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={props.value}
        data-testid={props.testid}
        checked={props.value}
        onChange={(e) => props.onChange(e.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}
