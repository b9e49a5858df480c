import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { readableRevision, revisions, type Revision } from '../../protocol/revision.ts';

/** Client and server have no revision in common. */
export class IncompatibleError extends ConnectionError {
  /** The revisions that this client may use. */
  readonly ours: readonly string[];
  /** The revisions that the server named; `undefined` if it named none. */
  readonly theirs: readonly string[] | undefined;

  constructor(
    ours: readonly string[],
    theirs: readonly string[] | undefined,
    options: { readonly message: string; readonly cause?: unknown },
  ) {
    super('incompatible', options.message, { cause: options.cause });
    this.name = 'IncompatibleError';
    this.ours = ours;
    this.theirs = theirs;
  }
}

/** The error that names what both sides speak. */
export function incompatible(
  ours: readonly Revision[],
  theirs: readonly string[] | undefined,
  cause?: unknown,
): IncompatibleError {
  const dates = ours.map((revision) => revision.date);
  const named = theirs ?? namedIn(cause, dates);
  return new IncompatibleError(dates, named, {
    message: `no common revision: the server ${whatIsKnown(named, cause)}, this client may use ${listed(dates)}`,
    cause,
  });
}

/** The versions that the text of an error lists, as official servers do (`supported versions: 2025-11-25, …`), and our own. */
function namedIn(cause: unknown, ours: readonly string[]): readonly string[] | undefined {
  const text = cause instanceof McpError ? cause.message.slice(0, 2_000) : '';
  const list = /\b(?:supported (?:protocol )?versions|spoken here): ?([^)]*)/.exec(text)?.[1] ?? '';
  const found = list.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
  const named = [...new Set(found)].filter((date) => readableRevision(date) !== undefined && !ours.includes(date));
  return named.length === 0 ? undefined : named;
}

/** A server that did not answer need not be an older one. */
function whatIsKnown(theirs: readonly string[] | undefined, cause: unknown): string {
  if (theirs !== undefined) return `speaks ${listed(theirs)}`;
  if (cause instanceof ConnectionError) return `did not answer server/discover (${cause.message})`;
  const said = cause instanceof McpError ? ` (it said: ${cause.message.slice(0, 200)})` : '';
  const newest = revisions.findLast(({ sessions }) => sessions)?.date;
  return `needs initialize, as ${newest} and earlier do${said}`;
}

/** The revisions that an error response lists as supported; `undefined` if its list is invalid. */
export function supportedOf(error: unknown): readonly string[] | undefined {
  const data = error instanceof McpError && error.kind === 'unsupportedProtocolVersion' ? error.data : undefined;
  if (typeof data !== 'object' || data === null || !('supported' in data) || !Array.isArray(data.supported))
    return undefined;
  const named = data.supported.filter((one) => typeof one === 'string');
  return named.length === 0 && data.supported.length > 0 ? undefined : named;
}

function listed(dates: readonly string[]): string {
  const shown = dates.slice(0, 10).map((date) => date.slice(0, 32));
  return shown.length === 0 ? 'none' : shown.join(', ');
}
