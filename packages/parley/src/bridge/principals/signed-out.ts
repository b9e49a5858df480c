/** Answers in place of a server for a user who is not signed in there. */

import type { Call } from '../../server/runtime/call.ts';
import { listChanges } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { subscribed } from '../changes.ts';
import type { UpstreamSignIn } from './sign-in.ts';

/** Name of the tool by which a person signs in; lists may not ask, and would show nothing that leads on. */
export const signInTool = 'sign_in';

const nobody = { ttlMs: 0, cacheScope: 'private' } as const;

/** The answer to a method that cannot ask; `undefined` for those that fail. */
export function signedOutResult(method: string, { name, requester }: UpstreamSignIn): JsonObject | undefined {
  switch (method) {
    case 'tools/list':
      return {
        ...nobody,
        tools: [
          {
            name: signInTool,
            title: `Sign in at ${name}`,
            description: `Signs the user in at ${name}, so that ${requester} can use it for them. Its tools are listed afterwards.`,
            inputSchema: { type: 'object' },
            annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
          },
        ],
      };
    case 'prompts/list':
      return { ...nobody, prompts: [] };
    case 'resources/list':
      return { ...nobody, resources: [] };
    case 'resources/templates/list':
      return { ...nobody, resourceTemplates: [] };
    case 'completion/complete':
      return { completion: { values: [] } };
    default:
      return undefined;
  }
}

/** The result of the tool once the person is signed in. */
export function signedInResult({ name }: UpstreamSignIn): JsonObject {
  return { content: [{ type: 'text', text: `The user is signed in at ${name}: list its tools again.` }] };
}

/**
 * The listen streams of clients whose user is not signed in. After a sign-in they report that everything changed, and
 * end, so that the clients open new ones.
 */
export class SignedOutListens {
  readonly #waiting = new Set<() => void>();

  /** Serves `subscriptions/listen` until the person is signed in. */
  listen(call: Call, asked: SubscriptionFilter): Promise<JsonObject> {
    const lists = listChanges.filter(({ flag }) => asked[flag] === true);
    const notifications = Object.fromEntries(lists.map(({ flag }) => [flag, true]));
    call.send('notifications/subscriptions/acknowledged', subscribed({ notifications }, call));
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(granted);
        resolve(subscribed({}, call));
      };
      const granted = (): void => {
        for (const { method } of lists) call.send(method, subscribed({}, call));
        end();
      };
      this.#waiting.add(granted);
      call.onAbort(end);
      call.onLeave(end);
    });
  }

  /** The person is signed in, or the bridge is closed. */
  end(): void {
    for (const granted of this.#waiting) granted();
  }
}
