import { McpError } from '../protocol/error.ts';

/** A page that the user must visit before a request can succeed. */
export interface RequiredUrlElicitation {
  /** The reason to open the page, for the user. */
  readonly message: string;
  /** The URL of the page. */
  readonly url: string;
  /** Names the visit; `notifications/elicitation/complete` repeats it. Left out, one is made. */
  readonly elicitationId?: string;
}

/**
 * The error that lists the pages that the user must visit before the request is sent again: -32042 in 2025-11-25, the
 * only revision that has it. If a handler can wait, `ctx.elicitUrl` also serves clients of later revisions.
 *
 * @throws TypeError without a page, or for an invalid URL.
 *
 * @example throw urlElicitationRequired([{ message: 'Sign in.', url: 'https://example.com/connect' }]);
 */
export function urlElicitationRequired(
  visits: readonly [RequiredUrlElicitation, ...RequiredUrlElicitation[]],
): McpError {
  if (visits.length === 0) throw new TypeError('urlElicitationRequired needs at least one page to visit');
  const elicitations = visits.map(({ message, url, elicitationId = crypto.randomUUID() }) => {
    if (!URL.canParse(url)) throw new TypeError(`${JSON.stringify(url)} is not a URL`);
    return { mode: 'url', message, url, elicitationId };
  });
  return new McpError(
    'urlElicitationRequired',
    `the user must visit ${elicitations.length === 1 ? 'a page' : 'some pages'} first`,
    { data: { elicitations } },
  );
}
