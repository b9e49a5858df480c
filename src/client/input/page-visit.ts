import { pageUrl } from '../../connection/page-url.ts';
import type { ElicitRequestURLParams } from '../../protocol/features/elicitation.ts';

/** A page that a server asks a user to visit. */
export interface PageVisit extends ElicitRequestURLParams {
  /** The page, as URL parsers write it: `https:`, or `http:` on this machine, without a user name. */
  readonly url: string;
  /** The host that the page is on, and its port where that is none of the scheme's: what a user is to be shown apart. */
  readonly host: string;
}

/** The visit that a server asks for, where its page is one that a user may be sent to. */
export function visitOf(params: ElicitRequestURLParams): PageVisit | undefined {
  const page = pageUrl(params.url);
  return page && { ...params, url: page.href, host: page.host };
}
