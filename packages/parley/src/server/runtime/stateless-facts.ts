import type { LoggingLevel } from '../../protocol/features/logging.ts';
import type { Revision } from '../../protocol/revision.ts';
import { isPromised } from '../../connection/gate.ts';
import type { CallFacts, ClientView } from './call.ts';
import type { ReplyChannel } from './request-handler.ts';
import type { ServerCore } from './server-core.ts';
import type { RequestMeta } from './request-meta.ts';

/**
 * Facts of the conversation that a stateless request states itself. There may be very many long-lived ones, so this
 * object holds no closures.
 */
export class StatelessFacts implements CallFacts {
  readonly revision: Revision;
  readonly client: ClientView;
  readonly link: ReplyChannel;
  readonly #host: ServerCore;
  readonly #level: LoggingLevel | undefined;

  constructor({ revision, clientInfo, capabilities, logLevel }: RequestMeta, host: ServerCore, link: ReplyChannel) {
    this.revision = revision;
    this.client = { info: clientInfo, capabilities };
    this.link = link;
    this.#host = host;
    this.#level = logLevel;
  }

  get session(): undefined {
    return undefined;
  }

  logLevel(): LoggingLevel | undefined {
    if (this.#level === undefined) return undefined;
    return isPromised('notifications/message', this.#host.capabilities(), this.#host.relays) ? this.#level : undefined;
  }
}
