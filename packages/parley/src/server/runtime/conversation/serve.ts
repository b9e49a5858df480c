import { InFlightList } from '../../../jsonrpc/in-flight-list.ts';
import { eachInSlices } from '../../../jsonrpc/slices.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { ServerConversation } from './conversation.ts';
import type { RequestHandler } from '../request-handler.ts';
import type { ServerCore } from '../server-core.ts';

/**
 * Makes the endpoint of a host, which every transport serves.
 *
 * @param onClose Runs before the conversations are closed, so that the host can end its open requests in order.
 */
export function createEndpoint(
  host: ServerCore,
  onClose: () => void | Promise<void> = () => undefined,
): RequestHandler {
  const open = new InFlightList<ServerConversation>();
  return {
    revisions: host.revisions,
    exactNumbers: host.exactNumbers,
    headerParameters: (tool, auth) => host.headerParameters(tool, auth),
    guard: host.guard,
    store: host.store,
    listeners: host.listeners,
    openConnection: (link) => new ServerConversation(host, link, open),
    resume: host.isPortable === true ? (link, record) => new ServerConversation(host, link, open, record) : undefined,
    close: async () => {
      await onClose();
      // Requests that the host ended in order are answered on a later turn. Only then is the rest aborted.
      await new Promise<void>((resolve) => void after(0, resolve, true));
      await eachInSlices(open.all(), (conversation) => conversation.close());
    },
  };
}
