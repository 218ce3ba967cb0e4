import { Component, type ComponentType, type FunctionComponent, h } from "preact";

/** A component that is drawn again only when one of its properties changes. */
export function memo<P extends object>(inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[];
      return names.some((name) => next[name] !== (this.props as P)[name]);
    }
    override render() {
      return h(inner, this.props as P);
    }
  };
}
