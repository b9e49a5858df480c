/** The lines of what a server asks of a client. */

import { codeOf } from '../../../parley/src/protocol/error.ts';
import { isAlive, type Lifetime } from '../../../parley/src/protocol/lifetime.ts';
import { methodOf } from '../../../parley/src/protocol/catalogue.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { byFact, carried, changed, exists, nothing, refused, type Feature, type Fidelity } from './cells.ts';

const group = 'Requests to the client';

const asRequests = 'an `InputRequiredResult` becomes requests to the client, and their answers a retry';
const asRounds = 'a request during a call becomes an `InputRequiredResult`, and the retry resumes the call';

/** One line for each of these. */
export const askingFeatures: readonly Feature[] = [
  asking('elicitation-form', 'Elicitation by form', hasForms),
  asking('elicitation-url', 'Elicitation by URL', hasUrls, (client, server) =>
    needsId(client) && !needsId(server) ? ', with an `elicitationId` from the bridge' : '',
  ),
  asking('sampling', 'Sampling', (revision) => exists('sampling/createMessage', revision)),
  asking('roots', 'Roots', (revision) => exists('roots/list', revision)),
  {
    id: 'rounds',
    title: 'Several questions in one call, and several rounds of them',
    group,
    between: byFact(({ resultsAsk }) => resultsAsk, {
      neither: carried,
      both: carried,
      server: changed(asRequests),
      client: changed(asRounds),
    }),
  },
  {
    id: 'progress-of-questions',
    title: 'Progress of a question, from the client',
    group,
    between: (client, server) => {
      if (!server.serverRequests) return nothing("the server's revision has none");
      return client.serverRequests ? carried : changed("left out; the client's revision has none");
    },
  },
  {
    id: 'roots-changes',
    title: 'Changes of the roots',
    group,
    between: byFact((revision) => !exists('notifications/roots/list_changed', revision), {
      neither: carried,
      both: nothing('neither revision has them: the server requests roots when it needs them'),
      server: changed('left out; a server of this revision requests roots when it needs them'),
      client: nothing("the client's revision has none"),
    }),
  },
  {
    id: 'elicitation-complete',
    title: 'The notification that a URL elicitation is complete',
    group,
    between: (client, server) => {
      if (!needsId(server)) return nothing("the server's revision has none");
      return needsId(client) ? carried : changed("left out; the client's revision has none");
    },
  },
  {
    id: 'url-elicitation-required',
    title: 'The error that a URL must be visited first',
    group,
    between: (client, server) => {
      if (!needsId(server)) return nothing("the server's revision has none");
      if (needsId(client)) return carried;
      return hasUrls(client)
        ? changed('an `InputRequiredResult` with the URLs')
        : refused('internalError', "the client's revision has no such error");
    },
  },
  {
    id: 'missing-capability',
    title: 'The error for a capability that the client lacks',
    group,
    between: (client, server) => {
      if (!tellsLack(server)) return nothing("the server's revision has no error of its own for it");
      return tellsLack(client) ? carried : changed("with the code of the client's revision");
    },
  },
];

/** Part of a question: its method, and the life of the type that both sides must have for it. */
interface Part {
  readonly method: string;
  readonly needs: Lifetime;
}

/** The cell for a part of a question that is never sent to the client; `undefined` for other parts. */
export function unasked({ method, needs }: Part, client: Revision, server: Revision): Fidelity | undefined {
  const row = methodOf(method);
  if (row?.kind !== 'request' || row.from !== 'server') return undefined;
  const put = [client, server].every((revision) => exists(method, revision) && isAlive(needs, revision));
  return put ? undefined : nothing('no such request reaches the client');
}

function asking(
  id: string,
  title: string,
  has: (revision: Revision) => boolean,
  more: (client: Revision, server: Revision) => string = () => '',
): Feature {
  return {
    id,
    title,
    group,
    between: (client, server) => {
      if (!has(server)) return nothing('no server of that revision requests it');
      return has(client) ? translated(client, server, more(client, server)) : untold();
    },
  };
}

function translated(client: Revision, server: Revision, more: string): Fidelity {
  if (client.resultsAsk === server.resultsAsk) return more === '' ? carried : changed(more);
  return changed(`${client.resultsAsk ? asRounds : asRequests}${more}`);
}

/** Tells whether a revision has an error of its own for what a client lacks. */
function tellsLack(revision: Revision): boolean {
  return codeOf('missingRequiredClientCapability', revision) !== codeOf('invalidRequest', revision);
}

/**
 * Outcome of a call that needs a capability that the client's revision lacks: the server knows that, and rejects it.
 */
export function untold(): Fidelity {
  return refused(
    'missingRequiredClientCapability',
    "the client's revision has none. The bridge does not declare the capability, and the server refuses the call",
  );
}

function hasForms({ elicitation }: Revision): boolean {
  return elicitation !== 'none';
}

function hasUrls({ elicitation }: Revision): boolean {
  return elicitation === 'form-and-url';
}

/** Tells whether URLs have an `elicitationId`, with a notice and an error of their own: where servers send requests. */
function needsId(revision: Revision): boolean {
  return hasUrls(revision) && revision.serverRequests;
}
