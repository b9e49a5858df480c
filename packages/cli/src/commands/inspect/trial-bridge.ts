import type { OpenBridge } from '../../inspect/trial/trials.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';

/** Puts a bridge of this process before a server, as `parley bridge` does; it is loaded when something is tried. */
export const openTrialBridge: OpenBridge = async (upstream, { revision, signal, info, asTask }) => {
  const [{ createBridge }, { memoryTransport }] = await Promise.all([
    import('../../../../parley/src/bridge.ts'),
    import('../../../../parley/src/testing.ts'),
  ]);
  const known = revisionOf(revision);
  const bridge = await createBridge({
    upstream,
    signal,
    ...(info === undefined ? {} : { info }),
    ...(asTask ? { tasks: { ask: 'always' } } : {}),
    ...(known === undefined ? {} : { upstreamRevisions: [known.date] }),
    // The two conversations show the errors.
    onWarning: () => {},
    onError: () => {},
  });
  return { transport: memoryTransport(bridge), close: () => bridge.close() };
};
