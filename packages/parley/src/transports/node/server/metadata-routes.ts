import type { Servable } from '../../../server/runtime/request-handler.ts';
import type { NodeRoutes } from './page-routes.ts';
import { NodeReply } from './reply.ts';
import { NodeRequest } from './request.ts';

/**
 * The metadata of a protected server as routes of Express, Connect and the like, in addition to the server's own path:
 * clients look for the metadata at the root of the origin. `listen` serves it by itself. (RFC 9728, section 3.)
 *
 * @throws TypeError for a server that is not protected.
 *
 * @example app.use(metadataRoutes(guarded)); app.all('/mcp', toNodeHandler(guarded, { allowedHosts: ['mcp.example.com']
 * }));
 */
export function metadataRoutes({ endpoint }: Servable): NodeRoutes {
  const { protection } = endpoint;
  if (protection === undefined) throw new TypeError('metadataRoutes takes what protect gave');
  return (request, response, next) => {
    // It has no body that could take long.
    if (!protection.metadata(new NodeRequest(request, 0), new NodeReply(response))) next();
  };
}
