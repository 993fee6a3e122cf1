import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Moves the focus when the control that has it goes away. Without this, it falls to the body of the page, and a person at the keyboard
 * begins again at the top.
 * @param isGone whether the control is left out of the page
 * @param next what gets the focus then
 * @returns the reference of an element around the control, which stays in the page
 */
export function useKeptFocus<Place extends HTMLElement>(
  isGone: boolean,
  next: (place: Place) => HTMLElement | null | undefined,
): RefObject<Place | null> {
  const place = useRef<Place>(null);
  // While this function runs, the control is still in the page.
  const hadFocus = isGone && place.current?.contains(document.activeElement) === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the loss of the control moves the focus
  useLayoutEffect(() => {
    if (hadFocus && place.current !== null && document.activeElement === document.body)
      next(place.current)?.focus();
  }, [hadFocus]);
  return place;
}
