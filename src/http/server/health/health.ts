import type { Course } from '../context.ts';
import type { HttpReply, HttpRequest } from '../universal.ts';

/** The paths at which a platform asks how a server is. They are apart from that of the endpoint. */
export interface HealthPaths {
  /** Path that answers 200 as long as this process takes turns at all, such as `/livez`; who hears nothing may start it anew. */
  readonly live?: string;
  /**
   * Path that answers 200 while new requests are taken, such as `/readyz`, and 503 from the moment that `close` begins: a
   * balancer sends its requests elsewhere then.
   */
  readonly ready?: string;
}

const headers = { 'Cache-Control': 'no-store' };

/**
 * Answers the questions of a platform, without a body and to everybody: the answer says nothing but how this process is, and who asks
 * knows it by an address, so that neither Host nor Origin is looked at.
 *
 * @returns False for a request that asks something else.
 */
export function answersHealth(
  { live, ready }: HealthPaths,
  course: Course,
  request: HttpRequest,
  reply: HttpReply,
): boolean {
  const { path } = request;
  if (path !== live && path !== ready) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    reply.send(405, undefined, { ...headers, Allow: 'GET, HEAD' });
  else if (path === live || course.ready) reply.send(200, undefined, headers);
  else reply.send(503, undefined, { ...headers, 'Retry-After': '1' });
  return true;
}
