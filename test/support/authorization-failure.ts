/** How an authorization in a world of its own fails. */

import assert from 'node:assert/strict';
import { AuthorizationError, type OAuthOptions } from '../../packages/parley/src/oauth.ts';
import type { World } from './authorization-world.ts';

/** The error with which connecting fails; it holds no secret. */
export async function failure(world: World, options: Partial<OAuthOptions> = {}): Promise<AuthorizationError> {
  const error = await world.connect(world.oauth(options)).then(
    async (client) => {
      await client.close();
      return undefined;
    },
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof AuthorizationError, `it ended with ${String(error)}`);
  for (const secret of world.secrets)
    assert.ok(!`${error.message} ${error.stack}`.includes(secret), 'the error has a secret');
  return error;
}
