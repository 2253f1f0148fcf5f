import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "./strings";

/** A part that its page fetches when it is first drawn. `meanwhile` stands in its place until then; where it cannot be
 * fetched, a sentence stands there, or after what stands there already. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, meanwhile: (props: P) => JSX.Element | null = () => null): ComponentType<P> {
  let found: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, redraw] = useState(0);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      let gone = false;
      if (found === null)
        load().then(
          (part) => {
            found = part;
            if (!gone) redraw((n) => n + 1);
          },
          () => !gone && setFailed(true),
        );
      return () => {
        gone = true;
      };
    }, []);
    const Part = found;
    if (Part) return <Part {...props} />;
    if (!failed) return meanwhile(props);
    return (
      <>
        {meanwhile(props)}
        <span class="help" role="alert">
          {t("shared.partMissing")}
        </span>
      </>
    );
  };
}
