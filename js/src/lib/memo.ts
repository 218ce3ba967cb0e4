import { Component, type ComponentType, type FunctionComponent, h } from "preact";
import { measuredFont } from "./textwidth";

/**
 * A component that is drawn again only when one of its properties changes, or the font in which it
 * measures its texts.
 */
export function memo<P extends object>(inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    font = "";
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[];
      return (
        this.font !== measuredFont() || names.some((name) => next[name] !== (this.props as P)[name])
      );
    }
    override render() {
      this.font = measuredFont();
      return h(inner, this.props as P);
    }
  };
}
