import { ConnectionError, reworded, type Channel, type Transport } from '../../../parley/src/jsonrpc/transport.ts';
import { factsOf } from '../../../parley/src/jsonrpc/transport-facts.ts';
import type { Hide } from '../../../parley/src/auth/common/secrets.ts';
import { withoutSent } from './sent-secrets.ts';
import { withSend } from './with-send.ts';

/** Name of a way to a server in messages, and the secrets that messages hide. */
export interface Mask {
  readonly hide: Hide;
  /** Name that a person would give the server; what the transport calls it by default. */
  readonly calledAs?: string;
}

/**
 * The same way to a server, with secrets removed from its errors: these are shown to the user of a command, and may
 * quote a URL or a server that repeats sent data. Messages pass unchanged.
 */
export function masked(transport: Transport, { hide: hideKnown, calledAs }: Mask): Transport {
  const hide: Hide = (text) => withoutSent(hideKnown(text));
  const shown = (error: unknown): unknown => (error instanceof ConnectionError ? reworded(error, hide) : error);
  return {
    ...factsOf(transport),
    description: calledAs ?? hide(transport.description),
    address: transport.address && hide(transport.address),
    ...(transport.authorization && { authorization: transport.authorization }),
    async open(receiver) {
      try {
        const channel = await transport.open({
          ...receiver,
          problem: (error, about) =>
            receiver.problem(error instanceof ConnectionError ? reworded(error, hide) : error, about),
          closed: (error) => receiver.closed(reworded(error, hide)),
        });
        return sendingWith(channel, shown);
      } catch (error) {
        throw shown(error);
      }
    },
  };
}

function sendingWith(channel: Channel, shown: (error: unknown) => unknown): Channel {
  const showing = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw shown(error);
    }
  };
  const { listen, ...sending } = withSend(channel, (message, options) => showing(() => channel.send(message, options)));
  return { ...sending, ...(listen && { listen: () => showing(listen) }) };
}
