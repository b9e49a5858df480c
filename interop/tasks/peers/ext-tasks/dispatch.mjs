/** Sends requests beside a client of the SDK, whose readers know no tasks: what ext-tasks calls a raw dispatch. */

/** Makes it for a transport that a client is connected by. */
export function dispatchOf(transport) {
  const waiting = new Map();
  const others = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const answer = waiting.get(message.id);
    if (answer === undefined || 'method' in message) return others?.(message, extra);
    waiting.delete(message.id);
    answer('error' in message ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result });
  };
  let sent = 0;
  return async (request, { signal } = {}) => {
    const id = `raw-${++sent}`;
    const answered = new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      const giveUp = () => reject(new Error('the request was given up', { cause: signal.reason }));
      signal?.addEventListener('abort', giveUp, { once: true });
    });
    answered.catch(() => waiting.delete(id));
    try {
      await transport.send({ jsonrpc: '2.0', id, ...request }, { requestSignal: signal });
    } catch (error) {
      waiting.delete(id);
      // The transport reads the body of an answer of 400.
      if (typeof error.code !== 'number') throw error;
      return { kind: 'error', error: { code: error.code, message: error.message } };
    }
    return answered;
  };
}
