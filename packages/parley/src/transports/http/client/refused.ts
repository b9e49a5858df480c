/** Reading of responses with an error status; the code that does it is loaded by the first of them. */

import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { PostExchange, RefusedResponse } from './answer.ts';
import { describeUrl } from './described-url.ts';

/** Reads a response with an error status. */
export async function refusalOf(response: FetchResponse, exchange: PostExchange): Promise<RefusedResponse> {
  // The first refusal loads this. A failure to load says nothing about the server.
  const late = await import('./refusal.ts').catch(() => undefined);
  if (late !== undefined) return await late.readHttpRefusal(response, exchange);
  const { status } = response;
  const failure = new ConnectionError('http', `HTTP ${status} from ${describeUrl(exchange.url)}`, { status });
  return { failure, message: undefined, stateless: false };
}
