import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  /** Its name for screen readers, where that is not the title. */
  label?: string;
  look?: string;
  stale: boolean;
  testid?: string;
  /** Right of the title. */
  head?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of the screen below its title; grey while it is of other settings. */
export const Panel = ({
  title,
  label = title,
  look = "",
  stale,
  testid,
  head,
  children,
}: Props) => (
  <section class={`panel ${look} ${stale ? "stale" : ""}`} aria-label={label} data-testid={testid}>
    <header class="panel-head wrap-row">
      <h2>{title}</h2>
      {head}
    </header>
    {children}
  </section>
);

interface AtProps {
  x?: number;
  y?: number;
  children: ComponentChildren;
}

/** A part of the whole picture, drawn from a place on. */
export const At = ({ x = 0, y = 0, children }: AtProps) => (
  <g transform={`translate(${x} ${y})`}>{children}</g>
);
