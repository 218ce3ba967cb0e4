import { KEYS, LABELS, shape } from "./marks";

/** The marks of the connection types, by name. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Connection types">
      {KEYS.map((key) => (
        <li key={key}>
          <svg class={`drawing c-${key}`} width={12} height={12} aria-hidden="true">
            <path class="mark" d={shape(key, 6, 6, 4)} />
          </svg>
          {LABELS[key]}
        </li>
      ))}
    </ul>
  );
}
