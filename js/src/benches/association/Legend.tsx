import { Mark } from "../../lib/chart/marks";
import { KEYS, LABELS, SHAPES } from "./marks";

/** The marks of the connection types, by name. */
export function Legend() {
  return (
    <ul class="legend wrap-row ink2 t12" aria-label="Connection types">
      {KEYS.map((key) => (
        <li key={key}>
          <svg class={`drawing c-${key}`} width={12} height={12} aria-hidden="true">
            <Mark x={6} y={6} shape={SHAPES[key]} />
          </svg>
          {LABELS[key]}
        </li>
      ))}
    </ul>
  );
}
