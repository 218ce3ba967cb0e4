import { type ComponentType, h, render } from "preact";
import { component, type Host, type Mount } from "../../host";
import tokens from "../tokens.css";
import ui from "../ui.css";
import benchStyle from "./bench.css";

/**
 * The module of a bench that both hosts load: a store for each view, and the screen that follows it.
 *
 * `css` comes after the sheets of every bench.
 */
export function benchModule<S extends object, T extends { dispose(): void }>(
  css: string,
  open: (host: Host<S>) => T,
  Bench: ComponentType<{ store: T; onTheme: Mount<S>["onTheme"] }>,
) {
  return component<S>(tokens + ui + benchStyle + css, ({ host, root, onTheme }) => {
    const store = open(host);
    render(h(Bench, { store, onTheme }), root);
    return () => {
      render(null, root);
      store.dispose();
    };
  });
}
