/** The limit of a client on Node: `node:http` with a kept agent alone, which writes the call and reads the answer. */
import { Agent, request } from 'node:http';
import { callOf, resultOf } from './bare-call.ts';
import { offer, optionsOf } from './support.ts';

const url = new URL(String(optionsOf()['url']));
const agent = new Agent({ keepAlive: true });

offer(
  (number) =>
    new Promise((resolve, reject) => {
      const { headers, body } = callOf(number);
      const length = { 'Content-Length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(resultOf(text)));
      });
      sent.on('error', reject);
      sent.end(body);
    }),
);
