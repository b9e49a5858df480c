import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import type { ServerTarget } from '../target.ts';
import { configuredTarget } from './configured.ts';
import { openTarget, openWay, type ClientOpening } from './open.ts';

/** Server as the user named it: by its address, or by its name in a file. */
export type ServerPlace =
  | { readonly kind: 'typed'; readonly target: ServerTarget }
  | { readonly kind: 'configured'; readonly file: string; readonly name: string | undefined };

/** Opens a server. The caller closes it. */
export async function openPlace(
  place: ServerPlace,
  { parsed, opening }: { readonly parsed: ParsedOptions; readonly opening?: ClientOpening | undefined },
  io: Io,
): Promise<Client> {
  if (place.kind === 'typed') return await openTarget(place.target, parsed, io, opening);
  const { way, revisions, timeoutMs } = await configuredTarget(place.file, place.name, parsed, io);
  return await openWay(way, parsed, io, { ...opening, known: opening?.known ?? revisions, timeoutMs });
}
