import { api } from './state.ts';

/** Completions of an argument, with those that were typed before it. */
export function completions(
  server: string,
  ref: object,
  text: string,
): (pointer: string, typed: string) => Promise<readonly string[]> {
  return async (pointer, typed) => {
    const argument = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
    const context = { ...others(text) };
    delete context[argument];
    try {
      const { values } = await api.post<{ readonly values: readonly string[] }>('complete', {
        server,
        ref,
        argument,
        typed,
        context,
      });
      return values;
    } catch {
      // A server that has none lets the person type.
      return [];
    }
  };
}

function others(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
