/** Small signs; what they say is told in words beside them. */

export const Warning = () => (
  <svg class="sign" viewBox="0 0 14 14" aria-hidden="true">
    <path d="M7 1.6 13 12.4H1Z" />
    <path d="M7 5.6v3.2M7 10.4v.6" />
  </svg>
);

export const Twice = () => (
  <svg class="sign" viewBox="0 0 14 14" aria-hidden="true">
    <rect x="1.7" y="4.3" width="8" height="8" rx="1.5" />
    <path d="M4.5 1.7h6.3a1.5 1.5 0 0 1 1.5 1.5v6.3" />
  </svg>
);

export const Shared = () => (
  <svg class="sign" viewBox="0 0 14 14" aria-hidden="true">
    <circle cx="5" cy="7" r="3.7" />
    <circle cx="9" cy="7" r="3.7" />
  </svg>
);

export const Cross = () => (
  <svg viewBox="0 0 10 10" width="9" height="9" aria-hidden="true">
    <path d="M2 2l6 6M8 2l-6 6" />
  </svg>
);

export const More = () => (
  <svg viewBox="0 0 16 4" width="14" height="4" aria-hidden="true">
    <circle cx="2" cy="2" r="1.5" />
    <circle cx="8" cy="2" r="1.5" />
    <circle cx="14" cy="2" r="1.5" />
  </svg>
);
