import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A part that its page fetches when it is first drawn. `meanwhile` stands in its place until then, and where it cannot be
 * fetched. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, meanwhile: (props: P) => JSX.Element | null = () => null): ComponentType<P> {
  let found: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, redraw] = useState(0);
    useEffect(() => {
      let gone = false;
      if (found === null)
        load().then(
          (part) => {
            found = part;
            if (!gone) redraw((n) => n + 1);
          },
          () => undefined,
        );
      return () => {
        gone = true;
      };
    }, []);
    const Part = found;
    return Part ? <Part {...props} /> : meanwhile(props);
  };
}
