/** How servers that answer a `Request` with a `Response` are served here: by the lightest adapter that they name. */
import type { RequestListener } from 'node:http';
import { peer } from '../harness/peers.ts';
import { serve, type Readiness } from './support.ts';

interface HonoNode {
  readonly getRequestListener: (fetch: (request: Request) => Promise<Response>) => RequestListener;
}

/** Serves such a handler on a free port of loopback, and says so. */
export async function serveWeb(fetch: (request: Request) => Promise<Response>, readiness?: Readiness): Promise<void> {
  const { getRequestListener } = await peer<HonoNode>('@hono/node-server');
  serve(getRequestListener(fetch), readiness);
}
