/** Verb by which a person sees what a client of another revision gets, instead of being told. */

import type { Verb } from '../http/listen.ts';
import type { WholeRecording } from '../recording.ts';
import type { InspectedServers } from '../servers/servers.ts';
import type { Trials } from '../trial/trials.ts';
import { verb } from './verb.ts';

/** Makes it. */
export function tryingVerbs(
  recording: WholeRecording,
  { servers, trials }: { readonly servers: InspectedServers; readonly trials: Trials },
): readonly (readonly [string, Verb])[] {
  return [
    [
      'try',
      verb(
        { n: 'number', revision: 'text', cancels: 'flag?' },
        async ({ n, revision: client, cancels }, { signal }) => {
          const entry = recording.entry(n);
          const isAnswer = entry.from === 'server' && entry.pair !== undefined;
          const asked = isAnswer ? recording.entry(entry.pair) : entry;
          const request = recording.beginningOf(asked);
          const asTask = recording.becameTask(request);
          const isCancelled = cancels ?? asked.method === 'tasks/cancel';
          const wanted = { server: servers.get(request.server), request, client, signal };
          return await trials.run({ ...wanted, asTask, cancels: isCancelled });
        },
      ),
    ],
  ];
}
