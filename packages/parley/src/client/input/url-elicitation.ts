import type { UrlElicitation } from '../api/input-handlers.ts';
import { pageUrl } from '../../connection/page-url.ts';
import type { ElicitRequestURLParams } from '../../protocol/features/elicitation.ts';

/** The visit that a server requests, if its page is safe to open. */
export function visitOf(params: ElicitRequestURLParams): UrlElicitation | undefined {
  const page = pageUrl(params.url);
  return page && { ...params, url: page.href, host: page.host };
}
