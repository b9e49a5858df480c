import { useEffect, useState } from 'preact/hooks';

/** Draws a part again and again while something in it counts, so that a time that is left or that was taken goes on. */
export function useTick(counts: boolean, everyMs = 1_000): void {
  const [, look] = useState(0);
  useEffect(() => {
    if (!counts) return undefined;
    const timer = setTimeout(() => look((count) => count + 1), everyMs);
    return () => clearTimeout(timer);
  });
}
