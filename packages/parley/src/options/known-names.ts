import { nearest } from './nearest.ts';

/** Every name that something may have; the compiler sees that none is missing. */
export type Names<T> = Readonly<Record<keyof T, 1>>;

/** Names that other libraries and the wire use, and ours for them. */
const aliases: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  schema: 'input',
  outputSchema: 'output',
  argsSchema: 'arguments',
  _meta: 'meta',
  requestedSchema: 'schema',
  inputRequests: 'requests',
  requestState: 'state',
  hostname: 'host',
  clientId: 'id',
  clientSecret: 'secret',
  privateKey: 'key',
  onElicitation: 'onElicit',
  onSampling: 'onSample',
};

/**
 * Refuses options that do not exist, for programs that no compiler checked.
 *
 * @param what Who has the options, as the error says it.
 * @param given What is left out is fine.
 * @throws TypeError for a name that is not known, with the one that was meant, the nearest, or all that there are.
 */
export function refuseUnknown(what: string, given: unknown, known: object): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${what} needs an object, not ${given === null ? 'null' : `a ${typeof given}`}`);
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (stranger !== undefined)
    throw new TypeError(`${what} has no option ${JSON.stringify(stranger)}; ${remedy(stranger, Object.keys(known))}`);
}

function remedy(stranger: string, known: readonly string[]): string {
  const meant = Object.hasOwn(aliases, stranger) ? aliases[stranger] : undefined;
  if (meant !== undefined && known.includes(meant)) return `it is called ${meant} here`;
  const near = nearest(stranger, known);
  return near.length > 0 ? `the nearest is ${near.join(', then ')}` : `it has ${known.join(', ')}`;
}
