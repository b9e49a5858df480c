import assert from 'node:assert/strict';
import { it } from 'node:test';
import { connected, newest, stateless } from '../../../../test/support/asked-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { InputRequiredError } from './api/errors.ts';

const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };

it('a question that comes again while it is answered is put to the user once', async () => {
  let asked = 0;
  const onElicit = (): Promise<never> => new Promise(() => void asked++);
  const one = await connected(newest, { onElicit });
  for (let time = 0; time < 500; time++)
    one.peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
  await turns();
  assert.equal(asked, 1);
  assert.match(one.warnings.join(), /came again/);
  await one.client.close();
});

it('a round that asks for more at once than is answered is left to be answered by hand', async () => {
  let asked = 0;
  const questions = Array.from({ length: 101 }, (_, at) => [`k${at}`, { method: 'elicitation/create', params }]);
  const one = await connected(stateless, { onElicit: () => (asked++, 'decline') }, (sent, peer) =>
    peer.reply(sent, { resultType: 'input_required', inputRequests: Object.fromEntries(questions) }),
  );
  await assert.rejects(one.client.callTool('x'), InputRequiredError);
  assert.equal(asked, 0);
  await one.client.close();
});

it('a listener of warnings that throws ends neither the process nor the answer', async () => {
  const one = await connected(newest, {
    onElicit: () => {
      throw new Error('no window');
    },
    onWarning: () => {
      throw new Error('no log');
    },
  });
  const answer = await one.ask('elicitation/create', params);
  assert.equal((answer['error'] as { code: number }).code, -32603);
  await one.client.close();
});
