import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./components/badge.js";

/** A screen whose code is loaded when it is opened for the first time. */
export function lazyScreen(load: () => Promise<FunctionComponent>): FunctionComponent {
  let loaded: FunctionComponent | undefined;
  return () => {
    const [, redraw] = useState(0);
    const [problem, setProblem] = useState<string>();
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          redraw(1);
        },
        (error: unknown) => setProblem(String(error)),
      );
    }, []);
    if (problem !== undefined) return <Notice tone="bad">This screen could not be loaded: {problem}</Notice>;
    const Loaded = loaded;
    return Loaded === undefined ? null : <Loaded />;
  };
}
