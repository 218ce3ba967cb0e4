import { type ComponentType, h, render } from "preact";
import type { GlossaryTerm } from "../../generated/glossary";
import { component, type Host, type Mount } from "../../host";
import base from "../base.css";
import tokens from "../tokens.css";
import { Terms } from "../ui/Term";
import ui from "../ui.css";
import benchStyle from "./bench.css";

/**
 * The module of a bench that both hosts load: a store for each view, and the screen that follows it.
 *
 * `css` comes after the sheets of every bench; `terms` are those of the glossary that it shows.
 */
export function benchModule<S extends object, T extends { dispose(): void }>(
  css: string,
  open: (host: Host<S>) => T,
  Bench: ComponentType<{ store: T; onTheme: Mount<S>["onTheme"] }>,
  terms: readonly GlossaryTerm[] = [],
) {
  return component<S>(tokens + base + ui + benchStyle + css, ({ host, root, onTheme }) => {
    const store = open(host);
    render(h(Terms.Provider, { value: terms }, h(Bench, { store, onTheme })), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  });
}
