import { pageUrl } from '../../connection/page-url.ts';
import type { ElicitRequestURLParams } from '../../protocol/features/elicitation.ts';

/** A page that a server asks a user to visit. */
export interface UrlElicitation extends ElicitRequestURLParams {
  /** The page, as URL parsers write it: `https:`, or `http:` on this machine, without a user name. */
  readonly url: string;
  /** The host of the page, and its port unless it is the default. Show it to the user separately. */
  readonly host: string;
}

/** The visit that a server requests, if its page is safe to open. */
export function visitOf(params: ElicitRequestURLParams): UrlElicitation | undefined {
  const page = pageUrl(params.url);
  return page && { ...params, url: page.href, host: page.host };
}
