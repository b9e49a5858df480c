import type { StoredTask } from '../../storage/tasks.ts';
import { added, equal, plenty, present, race, racers, taskOf, type TaskStoreCheck } from './checks.ts';

/** Texts that are not what they seem. */
const oddTexts: readonly string[] = [
  '',
  '"',
  'a "text"\n\r\t\\ \u2028 \u{1f511} \uffff e\u0301 \u00e9 \u202e',
  "'; drop table tasks; --",
  '{{}} %s $1 ? :a',
];

/** Promises about tasks that are added, read, changed and listed. */
export const keepingTests: readonly TaskStoreCheck[] = [
  {
    title: 'a task is read by everybody as it was added, and not before',
    async check({ one, other, queue }) {
      const task = taskOf(queue, { dueInMs: undefined, owner: '', text: '{"a":1}' });
      equal(await other.get(task.id), undefined, 'a task that does not exist');
      await added(one, task);
      const { id, owner, version, epoch, open, text } = await present(other, task.id);
      equal(
        [id, owner, version, epoch, open, text, (await present(one, id)).queue],
        [task.id, '', 1, 0, true, '{"a":1}', queue],
        'the read task',
      );
    },
  },
  {
    title: 'an id is added once, by any process',
    async check(stores) {
      const task = taskOf(stores.queue);
      const outcomes = await race(stores, racers, (store, at) => store.add({ ...task, text: String(at) }, plenty));
      equal(outcomes.filter((outcome) => outcome === 'added').length, 1, 'who added it');
      equal(
        outcomes.filter((outcome) => outcome === 'known').length,
        racers - 1,
        'the process that learned of the known id',
      );
      equal((await present(stores.other, task.id)).text, String(outcomes.indexOf('added')), 'the text of the first');
    },
  },
  {
    title: 'an owner has as many open tasks as it may, and no more in a race',
    async check(stores) {
      const { one, other, queue } = stores;
      const tasks = Array.from({ length: racers }, () => taskOf(queue, { dueInMs: undefined }));
      const outcomes = await race(stores, racers, (store, at) => store.add(tasks[at] ?? taskOf(queue), 5));
      equal(outcomes.filter((outcome) => outcome === 'added').length, 5, 'the added task');
      equal(outcomes.filter((outcome) => outcome === 'full').length, racers - 5, 'the rejected change');
      equal(await other.add(taskOf(queue, { owner: '' }), 5), 'added', 'a task of another owner');
      equal(await other.add(taskOf(`${queue} too`), 5), 'added', 'a task in another queue');
      const first = tasks[outcomes.indexOf('added')] ?? taskOf(queue);
      equal(await other.add(first, 5), 'known', 'one that is there, though there is no room');
      equal(await one.swap({ ...first, version: 2, open: false }), true, 'ending one');
      equal(await other.add(taskOf(queue), 5), 'added', 'a task that replaces an ended one');
      equal(await one.add(taskOf(queue), 5), 'full', 'one more');
    },
  },
  {
    title: 'one share takes as many open tasks as it leaves free, and others find the rest',
    async check({ one, other, queue }) {
      const of = (share: string, parts: Partial<StoredTask> = {}): StoredTask =>
        taskOf(queue, { owner: '', share, ...parts });
      const first = of('address a');
      equal(await one.add(first, 10), 'added', 'a first task');
      for (let at = 1; at < 5; at++) equal(await other.add(of('address a'), 10), 'added', 'a task within the share');
      const refused = await one.add(of('address a'), 10);
      equal(refused === 'no-room' || refused === 'full', true, 'whether one more is refused');
      equal(await one.add(first, 10), 'known', 'one that is there');
      equal(await other.add(of('address b'), 10), 'added', 'a task of another share');
      equal(await other.add(of('address a', { queue: `${queue} too` }), 10), 'added', 'a task in another queue');
      equal(await other.add(of('address a', { open: false }), 10), 'added', 'a task that has ended');
      equal(await one.swap({ ...first, version: 2, open: false }), true, 'ending one');
      equal(await other.add(of('address a'), 10), 'added', 'a task that replaces an ended one');
    },
  },
  {
    title: 'of many who swap the same version one is first',
    async check(stores) {
      const task = await added(stores.one, taskOf(stores.queue));
      const won = await race(stores, racers, (store, at) => store.swap({ ...task, version: 2, text: String(at) }));
      equal(won.filter(Boolean).length, 1, 'the first change');
      const { version, text } = await present(stores.other, task.id);
      equal([version, text], [2, String(won.indexOf(true))], 'what the first wrote');
    },
  },
  {
    title: 'of many who count up by swapping none is lost',
    async check(stores) {
      const { id } = await added(stores.one, taskOf(stores.queue, { text: '0' }));
      await race(stores, 4, async (store) => {
        for (let [done, tries] = [0, 0]; done < 10; tries++) {
          if (tries > 1000) throw new Error('no swap succeeds');
          const { version, text, ...task } = await present(store, id);
          if (await store.swap({ ...task, version: version + 1, text: String(Number(text) + 1) })) done++;
        }
      });
      const { version, text } = await present(stores.other, id);
      equal([version, text], [41, '40'], 'the count');
    },
  },
  {
    title: 'a swap over another version, or over nothing, changes nothing',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue, { text: 'first' }));
      for (const version of [0, 1, 3, 4]) equal(await other.swap({ ...task, version, text: 'x' }), false, 'a swap');
      equal(await other.swap(taskOf(queue, { version: 2 })), false, 'a swap of a missing task');
      equal(await one.swap({ ...task, version: 2, epoch: 7, text: 'second' }), true, 'a swap over the version before');
      equal(await other.swap({ ...task, version: 2, text: 'x' }), false, 'the same again');
      const { version, epoch, text } = await present(other, task.id);
      equal([version, epoch, text], [2, 7, 'second'], 'the written task');
    },
  },
  {
    title: 'texts come back character for character, be they long or odd',
    async check({ one, other, queue }) {
      for (const text of [...oddTexts, '\u{1f511}'.repeat(1_000_000), 'x'.repeat(5_000_000)]) {
        const task = await added(one, taskOf(queue, { text }));
        if ((await present(other, task.id)).text !== text) throw new Error(`not as it was added: ${text.slice(0, 50)}`);
        const changed = `${text}.`;
        equal(await other.swap({ ...task, version: 2, text: changed }), true, 'a swap');
        if ((await present(one, task.id)).text !== changed) throw new Error(`not as it was: ${text.slice(0, 50)}`);
        equal(await one.swap({ ...task, version: 3, open: false, text: '' }), true, 'making it short');
      }
    },
  },
  {
    title: 'owners and queues differ by each character',
    async check({ one, other, queue }) {
      const pairs = oddTexts.flatMap((text) => [
        [`${queue}${text}`, 'a'],
        [`${queue}${text}:a`, 'a'],
        [`${queue}${text}`, `${text}:a`],
        [queue, `${text}a:a`],
        [queue, `${text}A:a`],
      ]);
      for (const [of = '', owner = ''] of pairs)
        equal(await one.add(taskOf(of, { owner }), 1), 'added', 'a first task');
      for (const [of = '', owner = ''] of pairs) {
        equal(
          (await other.list({ queue: of, owner }, undefined, 10)).length,
          1,
          `the list of ${JSON.stringify(owner)}`,
        );
        equal(await other.add(taskOf(of, { owner }), 1), 'full', 'a second task');
      }
    },
  },
  {
    title: 'a list has the tasks of an owner in pages, by their ids, and those that ended too',
    async check({ one, other, queue }) {
      const tasks = [];
      for (let at = 0; at < 7; at++) tasks.push(await added(one, taskOf(queue, { text: String(at) })));
      await added(one, taskOf(queue, { owner: 'somebody else' }));
      const [ended = taskOf(queue)] = tasks;
      equal(await one.swap({ ...ended, version: 2, open: false }), true, 'ending one');
      const found = [];
      for (let [after, page]: [string | undefined, number] = [undefined, 0]; page < 3; page++) {
        const listed = await other.list({ queue, owner: 'somebody' }, after, 3);
        equal(listed.length, page < 2 ? 3 : 1, 'the length of a page');
        found.push(...listed);
        after = listed.at(-1)?.id;
      }
      const sorted = tasks.toSorted((one, two) => (one.id < two.id ? -1 : 1));
      equal(found.map(textOf), sorted.map(textOf), 'the pages together');
      const last = sorted.at(-1)?.id;
      equal(await other.list({ queue, owner: 'somebody' }, last, 3), [], 'what follows the last');
      const between = await other.list({ queue, owner: 'somebody' }, `${sorted[2]?.id}-`, 3);
      equal(between.map(textOf), sorted.slice(3, 6).map(textOf), 'what follows an id that is not there');
      equal(await other.list({ queue, owner: 'nobody' }, undefined, 3), [], 'the list of an owner without tasks');
    },
  },
  {
    title: 'all processes that share the store receive texts of its bus, if it has one',
    async check({ one, other, queue }) {
      if (one.bus === undefined || other.bus === undefined) return;
      let heard: (text: string) => void = () => undefined;
      const text = new Promise<string>((resolve) => (heard = resolve));
      const stop = await other.bus.subscribe(queue, (told) => heard(told));
      await one.bus.publish(`${queue} too`, 'something else');
      await one.bus.publish(queue, 'a "task"\nchanged \u{1f511}');
      equal(await text, 'a "task"\nchanged \u{1f511}', 'the received texts');
      await stop();
      await stop();
    },
  },
];

function textOf({ text }: { readonly text: string }): string {
  return text;
}
