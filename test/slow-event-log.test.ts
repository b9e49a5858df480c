import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, type FakeVisit, type Frame } from './support/fake-http.ts';
import { connect, request, type Client } from './support/session-client.ts';
import { Schedule, slowEvents, type SlowLogOptions } from './support/slow-log.ts';

const schedules = 1_000;
const messages = 12;

for (const options of [{}, { reorders: true }, { failsOneIn: 8 }, { failsOneIn: 8, reorders: true }]) {
  test(`a resumed stream loses no event in silence when reads overtake writes: ${JSON.stringify(options)}`, async () => {
    let resumed = 0;
    let refused = 0;
    for (let seed = 0; seed < schedules; seed++) {
      const reader = await play(seed, options);
      resumed += reader.resumed;
      if (reader.refused) refused++;
      const expected = reader.refused ? everything.slice(0, reader.heard.length) : everything;
      assert.deepEqual(reader.heard, expected, `schedule ${seed}`);
    }
    assert.ok(resumed > schedules);
    // Who writes everything down is never the reason for a refusal.
    if (!('failsOneIn' in options)) assert.equal(refused, 0);
  });
}

const everything = [...Array.from({ length: messages }, (_, at) => at + 1), 'the response'];

/** A client that reads one stream over many connections. */
class Reader {
  readonly heard: unknown[] = [];
  resumed = 0;
  refused = false;
  readonly #client: Client;
  #connection: FakeVisit;
  #read = 0;
  #lastId: string | undefined;

  constructor(client: Client) {
    this.#client = client;
    this.#connection = client.post(request('slow'));
  }

  get over(): boolean {
    this.#take();
    return this.refused || this.heard.at(-1) === 'the response';
  }

  /** Breaks the connection, or only believes that it broke, and comes back for the rest. */
  comeBack(leaves: boolean): void {
    if (this.over || this.#lastId === undefined || (this.#connection.status === undefined && !leaves)) return;
    if (leaves) this.#connection.leave();
    this.#connection = this.#client.get({ 'last-event-id': this.#lastId });
    this.#read = 0;
    this.resumed++;
  }

  get lost(): boolean {
    return this.#connection.ended && !this.over;
  }

  #take(): void {
    if (this.#connection.status !== undefined && this.#connection.status !== 200) this.refused = true;
    const frames = this.#connection.frames.slice(this.#read);
    this.#read += frames.length;
    for (const { id, data } of frames) {
      this.#lastId = id ?? this.#lastId;
      if (data !== undefined && data !== '') this.heard.push(heardIn(data));
    }
  }
}

function heardIn(data: NonNullable<Frame['data']>): unknown {
  const message = JSON.parse(data) as { readonly params?: { readonly at: number } };
  return message.params?.at ?? 'the response';
}

/** One schedule: a call sends messages and ends while its client comes and goes and the log takes its time. */
async function play(seed: number, options: SlowLogOptions): Promise<Reader> {
  const schedule = new Schedule(seed);
  const client = await connect('2025-11-25', { events: slowEvents(schedule, options) });
  const [conversation] = client.fake.conversations;
  assert.ok(conversation);
  const reader = new Reader(client);
  await settle();
  let sent = 0;
  const send = (): void => {
    if (++sent > messages) conversation.release(2);
    else conversation.link.send({ jsonrpc: '2.0', method: 'notifications/message', params: { at: sent } }, 2);
  };
  send();
  for (let steps = 0; !reader.over; steps++) {
    assert.ok(steps < 5_000, `schedule ${seed} does not end`);
    const choice = schedule.pick(8);
    if (choice < 2 && sent <= messages) send();
    else if (choice === 2) reader.comeBack(schedule.pick(4) > 0);
    else if (reader.lost && schedule.idle && sent > messages) reader.comeBack(true);
    else schedule.step();
    if (schedule.pick(2) === 0) await settle();
  }
  return reader;
}
