import type { RedisScripting } from '../connection.ts';
import type { Calls } from './calls.ts';

/** The connections of a store, as its tasks use them: nothing is tried twice, since a second claim would take other tasks. */
export function taskConnection(calls: Calls): RedisScripting {
  const run = async (command: string, script: string, key: string, values: readonly string[]): Promise<unknown> => {
    try {
      return await calls.once(key, (client) => client.call(command, script, 1, key, ...values));
    } catch (error) {
      // A sender of a digest recognizes the server's own error for an unknown script.
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof Error && cause.message.startsWith('NOSCRIPT') ? cause : error;
    }
  };
  return {
    evalSha: (sha, key, values) => run('evalsha', sha, key, values),
    eval: (script, key, values) => run('eval', script, key, values),
  };
}
