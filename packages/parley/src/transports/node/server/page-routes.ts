import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerPage } from './page-answer.ts';

/** BrowserPages for browsers beside a server, such as those of an account. */
export interface BrowserPages {
  /** Answers a request for one of them; `undefined` for any other request. */
  pages(request: Request): Promise<Response> | undefined;
}

/** Answers a request that is for it, or calls `next`: a middleware of Express, Connect and the like. */
export type NodeRoutes = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * The pages of accounts as routes of Express, Connect and the like, wherever they are mounted. `listen` takes them as its option
 * `pages`.
 *
 * @example
 * app.use(pageRoutes(github, google));
 */
export function pageRoutes(...all: readonly BrowserPages[]): NodeRoutes {
  return (request, response, next) => {
    if (!answerPage(all, request, response)) next();
  };
}
