import { Component, h, type FunctionComponent } from "preact";

/** A component that is drawn again only when `same` says that its properties differ. */
export function memo<P extends object>(draw: FunctionComponent<P>, same: (before: P, after: P) => boolean): FunctionComponent<P> {
  class Kept extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !same(this.props as P, next as P);
    }
    override render() {
      return draw(this.props as P, undefined);
    }
  }
  return (props: P) => h(Kept, props as never);
}
