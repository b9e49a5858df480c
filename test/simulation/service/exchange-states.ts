/** The states that exchanges show, by what befalls them and what is answered. */

import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { stateOfStatus, type State } from './states.ts';

/** What befalls one exchange. */
export type Misfortune = 'refused' | 'not arrived' | 'silent' | 'answer lost' | 'cut' | 'half open' | 'busy';

/** All of them, as often as they are to befall. */
export const misfortunes: readonly Misfortune[] = [
  'refused',
  'not arrived',
  'silent',
  'answer lost',
  'cut',
  'cut',
  'half open',
  'busy',
];

const ofMisfortune: Readonly<Record<Misfortune, State>> = {
  refused: 'a request is refused by the network',
  'not arrived': 'a request does not arrive',
  silent: 'a request is met with silence',
  'answer lost': 'an answer is lost',
  cut: 'an answer is cut',
  'half open': 'a connection is half open',
  busy: 'somebody between has no process to send to',
};

/** The state that the beginning of an exchange shows. */
export function stateOfBeginning(
  { method, body }: FetchRequest,
  { misfortune, wrong }: { readonly misfortune: Misfortune | undefined; readonly wrong: string | undefined },
): State | undefined {
  if (misfortune !== undefined) return ofMisfortune[misfortune];
  if (wrong !== undefined)
    return wrong === 'instead' ? 'an answer is said wrong' : 'something wrong is said between events';
  return method === 'POST' && body?.includes('notifications/cancelled') === true ? 'a request is cancelled' : undefined;
}

/** The state that an answer shows by its status. */
export function stateOfAnswer(status: number, request: FetchRequest, path: string): State | undefined {
  const { method, body } = request;
  const known = stateOfStatus.get(status);
  if (known !== undefined) return known;
  if (status === 400 && afterOf(request) !== undefined) return 'nothing can be taken up';
  if (status === 204 && method === 'DELETE') return 'a session is ended by its client';
  if (status === 202 && body !== undefined && !body.includes('"method"')) return 'a question is answered';
  if (status === 202 && path === '/messages') return 'a message comes over HTTP+SSE';
  return status === 200 && body?.startsWith('[') === true ? 'a batch is answered' : undefined;
}

/** The state that a stream shows which is opened. */
export function stateOfStream(request: FetchRequest): State {
  const { method, body } = request;
  if (afterOf(request) !== undefined) return 'a stream that broke is taken up';
  if (method === 'GET') return 'a stream for what belongs to no request is open';
  return body?.includes('subscriptions/listen') === true ? 'a subscription is open' : 'an answer becomes a stream';
}

/** The event that a client has come to on the stream that it wants. */
export function afterOf({ headers }: FetchRequest): string | undefined {
  return headers['Last-Event-ID'] ?? headers['last-event-id'];
}

/** The stream of an event, by its id. */
export function streamOf(id: string): string {
  return id.slice(0, id.lastIndexOf(':'));
}
