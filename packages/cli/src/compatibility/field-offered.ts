import type { Listed, Offer } from './offer.ts';

/** The values of a type that an offer shows, and whether it shows all of them. */
interface Shown {
  readonly values: readonly object[];
  readonly whole: boolean;
}

const shownOf: ReadonlyMap<string, (offer: Offer) => Shown> = new Map<string, (offer: Offer) => Shown>([
  ['Implementation', ({ server }) => ({ values: server === undefined ? [] : [server], whole: true })],
  ['Tool', ({ tools }) => listed(tools)],
  ['Resource', ({ resources }) => listed(resources)],
  ['ResourceTemplate', ({ resourceTemplates }) => listed(resourceTemplates)],
  ['Prompt', ({ prompts }) => listed(prompts)],
  [
    'PromptArgument',
    ({ prompts }) => {
      const { values, whole } = listed(prompts);
      // The items of that list are prompts.
      return { values: values.flatMap((prompt) => (prompt as { arguments?: object[] }).arguments ?? []), whole };
    },
  ],
]);

/** Tells whether a server uses a field of a type; `undefined` where its lists do not tell. */
export function fieldOffered(type: string, field: string, offer: Offer): boolean | undefined {
  const shown = shownOf.get(type)?.(offer);
  if (shown === undefined) return undefined;
  return shown.values.some((value) => Object.hasOwn(value, field)) || !shown.whole;
}

function listed(list: Listed<object> | undefined): Shown {
  return { values: list?.items ?? [], whole: list === undefined || (!list.more && list.error === undefined) };
}
