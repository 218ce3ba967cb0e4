export const Chevron = () => (
  <svg class="chevron" viewBox="0 0 12 12" aria-hidden="true">
    <path d="M2.5 4.5 6 8l3.5-3.5" />
  </svg>
);

export const Swap = () => (
  <svg class="chevron" viewBox="0 0 12 12" aria-hidden="true">
    <path d="M1 4h10M8.5 1.5 11 4M11 8H1M3.5 10.5 1 8" />
  </svg>
);

/** Shape repeats colour: group 1 round, group 2 square. */
export const Mark = ({ group }: { group: 1 | 2 }) => (
  <svg class="mark" viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
    {group === 1 ? (
      <circle cx="4" cy="4" r="4" class="f1" />
    ) : (
      <rect width="8" height="8" rx="1" class="f2" />
    )}
  </svg>
);
