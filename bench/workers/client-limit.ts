/** The limit of a client: built-in `fetch` alone, which writes the call and reads the answer. */
import { callOf, resultOf } from './bare-call.ts';
import { offer, optionsOf } from './support.ts';

const url = String(optionsOf()['url']);
offer(async (number) => {
  const { headers, body } = callOf(number);
  const response = await fetch(url, { method: 'POST', headers, body });
  return resultOf(await response.text());
});
