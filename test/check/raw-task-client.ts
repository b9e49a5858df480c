/** A small client over lines that knows tasks, makes one mistake with them, or none, and speaks for itself, so that nothing of ours hides it. */

import type { Readable, Writable } from 'node:stream';

type Json = Readonly<Record<string, unknown>>;

/** Mistakes of one that has tasks made in 2025-11-25, or answers as tasks there. */
export type CoreTaskMistake =
  | 'task-of-list'
  | 'task-of-echo'
  | 'job-without-task'
  | 'polls-too-fast'
  | 'answers-without-task'
  | 'related-in-get'
  | 'polls-at-input'
  | 'cancels-the-call'
  | 'makes-up-id'
  | 'undeclared-task'
  | 'refuses-task'
  | 'task-as-result'
  | 'same-id-twice'
  | 'begins-completed'
  | 'no-times'
  | 'no-ttl'
  | 'believes-related'
  | 'other-result'
  | 'result-too-early'
  | 'result-says-nothing'
  | 'changes-at-the-end'
  | 'lists-none'
  | 'cancels-what-ended'
  | 'cancels-later'
  | 'comes-back'
  | 'knows-any-id'
  | 'fails-silently'
  | 'takes-tools'
  | 'takes-url'
  | 'takes-roots'
  | 'takes-half-a-tool'
  | 'answers-notices'
  | 'progress-falls'
  | 'progress-of-nothing'
  | 'progress-after-the-end'
  | 'odd-roots-code'
  | 'takes-sampling'
  | 'takes-forms'
  | 'wants-a-mode'
  | 'answers-cancelled'
  | 'falls-silent'
  | 'refuses-odd-meta'
  | 'changes-roots'
  | 'progress-after-its-task'
  | 'writes-lines'
  | 'breaks-text'
  | 'ids-as-text'
  | 'token-of-running-task';

/** Mistakes of one that takes tasks in 2026-07-28. */
export type ExtensionTaskMistake =
  | 'polls-too-fast'
  | 'answers-by-call'
  | 'answers-twice'
  | 'cancels-the-call'
  | 'asks-about-wrong-task';

/** A mistake of either. */
export type TaskMistake = CoreTaskMistake | ExtensionTaskMistake;

interface Hosted {
  status: string;
  readonly result: Json;
}

const related = 'io.modelcontextprotocol/related-task';
const newest = '2026-07-28';
const time = '2026-01-01T00:00:00Z';
const form = { action: 'accept', content: { name: 'Ada' } };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The client. */
export class RawTaskClient {
  readonly #output: Writable;
  readonly #date: string;
  readonly #mistake: TaskMistake | undefined;
  readonly #waiting = new Map<number, (message: Json) => void>();
  readonly #hosted = new Map<string, Hosted>();
  readonly #cancelled = new Set<unknown>();
  /** Ids of what it was asked. */
  readonly #seen = new Set<unknown>();
  #isSilent = false;
  /** Token of the question that became a task last. */
  #taskToken: unknown;
  #roots = 0;
  #id = 0;
  #ids = 0;

  constructor(
    { input, output }: { readonly input: Readable; readonly output: Writable },
    date: string,
    mistake?: TaskMistake,
  ) {
    this.#output = output;
    this.#date = date;
    this.#mistake = mistake;
    // Not by readline, which takes U+2028 within a string for the end of a line.
    let rest = '';
    input.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(JSON.parse(line) as Json);
    });
  }

  /** Does all that it is asked to do, and says no more. */
  async run(): Promise<void> {
    if (this.#date === newest) await this.#extension();
    else await this.#core();
    this.#output.end();
  }

  async #core(): Promise<void> {
    const clientInfo = { name: 'raw', version: '1' };
    const capabilities = this.#capabilities();
    await this.#ask('initialize', { protocolVersion: this.#date, capabilities, clientInfo });
    this.#say({ method: 'notifications/initialized' });
    await this.#ask('tools/list', this.#is('task-of-list') ? { task: {} } : {});
    await this.#ask('tools/call', {
      name: 'echo',
      arguments: { text: 'hello' },
      ...(this.#is('task-of-echo') && { task: {} }),
    });
    await this.#ask('tools/call', { name: 'ask', arguments: {} });
    if (this.#is('changes-roots')) await this.#ask('tools/call', { name: 'ask', arguments: {} });
    const task = this.#is('makes-up-id') ? { taskId: 'mine' } : { ttl: 30_000 };
    const slow = await this.#task({ name: 'slow', arguments: {}, task, _meta: { progressToken: 'slow' } });
    const progressToken = this.#is('token-of-running-task') ? 'slow' : 'list';
    await this.#ask('tools/list', { _meta: { progressToken } });
    await this.#followed(slow, 'pollInterval');
    await this.#ask('tools/call', { name: 'job', arguments: {}, ...(!this.#is('job-without-task') && { task: {} }) });
    await this.#givenUp(await this.#task({ name: 'endless', arguments: {}, task: {} }));
  }

  /** Polls a task of the core until it wants something or ends, and fetches its result. */
  async #followed(taskId: string, interval: string): Promise<void> {
    const _meta = this.#is('related-in-get') ? { [related]: { taskId } } : undefined;
    for (let inputs = 0; ;) {
      const { status, [interval]: ms } = await this.#ask('tasks/get', { taskId, ...(_meta && { _meta }) });
      const isIgnored = status === 'input_required' && this.#is('polls-at-input') && inputs++ < 3;
      if (status !== 'working' && !isIgnored) break;
      await pause(this.#is('polls-too-fast') ? 5 : Number(ms));
    }
    await this.#ask('tasks/result', { taskId });
  }

  async #givenUp(taskId: string): Promise<void> {
    await this.#ask('tasks/get', { taskId });
    if (this.#is('cancels-the-call'))
      this.#say({ method: 'notifications/cancelled', params: { requestId: this.#id - 1 } });
    await this.#ask('tasks/cancel', { taskId });
  }

  async #extension(): Promise<void> {
    await this.#ask('tools/list', {});
    await this.#ask('tools/call', { name: 'echo', arguments: { text: 'hello' } });
    const { inputRequests = {}, requestState } = await this.#ask('tools/call', { name: 'ask', arguments: {} });
    let keys = Object.keys(inputRequests as Json);
    let state: unknown = requestState;
    while (keys.length > 0) {
      const answers = Object.fromEntries(keys.map((key) => [key, form]));
      const next = await this.#ask('tools/call', {
        name: 'ask',
        arguments: {},
        inputResponses: answers,
        ...(state !== undefined && { requestState: state }),
      });
      [keys, state] = [Object.keys((next['inputRequests'] ?? {}) as Json), next['requestState']];
    }
    await this.#updated(await this.#task({ name: 'slow', arguments: {} }));
    const { taskId } = await this.#ask('resources/read', { uri: 'check://as-task' });
    if (this.#is('asks-about-wrong-task')) await this.#ask('tasks/get', { taskId });
    await this.#givenUp(await this.#task({ name: 'endless', arguments: {} }));
  }

  /** Polls a task of the extension until it has ended, and answers what it asks. */
  async #updated(taskId: string): Promise<void> {
    const answered = new Set<string>();
    for (;;) {
      const { status, pollIntervalMs, inputRequests } = await this.#ask('tasks/get', { taskId });
      if (status === 'completed') return;
      const keys = Object.keys((inputRequests ?? {}) as Json).filter(
        (key) => !answered.has(key) || this.#is('answers-twice'),
      );
      for (const key of keys) answered.add(key);
      const inputResponses = Object.fromEntries(keys.map((key) => [key, form]));
      if (keys.length > 0 && this.#is('answers-by-call'))
        await this.#ask('tools/call', { name: 'slow', arguments: {}, inputResponses });
      if (keys.length > 0) await this.#ask('tasks/update', { taskId, inputResponses });
      await pause(this.#is('polls-too-fast') ? 5 : Number(pollIntervalMs));
    }
  }

  /** Has a task made. @returns Its id. */
  async #task(params: Json): Promise<string> {
    const result = await this.#ask('tools/call', params);
    const { taskId } = (result['task'] ?? result) as { readonly taskId?: unknown };
    return String(taskId);
  }

  #is(mistake: TaskMistake): boolean {
    return this.#mistake === mistake;
  }

  /** The client hosts tasks unless it makes a mistake that only others can make. */
  #capabilities(): Json {
    const hosts = !this.#is('undeclared-task') && !this.#is('refuses-task') && !this.#is('takes-forms');
    const tools = this.#is('takes-half-a-tool') ? { tools: {} } : {};
    return {
      ...(!this.#is('takes-forms') && { elicitation: { form: {} } }),
      ...(this.#is('changes-roots') && { roots: { listChanged: true } }),
      ...((this.#is('takes-tools') || this.#is('takes-half-a-tool')) && { sampling: tools }),
      ...(hosts && { tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } } }),
    };
  }

  async #ask(method: string, params: Json): Promise<Json> {
    const id = ++this.#id;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const answer = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.#say({ id, method, params: this.#date === newest ? { ...params, _meta: meta } : params });
    return ((await answer)['result'] ?? {}) as Json;
  }

  #say(message: Json): void {
    const whole = { jsonrpc: '2.0', ...message };
    const isCall = message['method'] === 'tools/call';
    const text = JSON.stringify(whole, undefined, isCall && this.#is('writes-lines') ? 2 : 0);
    this.#output.write(`${isCall && this.#is('breaks-text') ? text.replace(/"echo"/, '"ec\nho"') : text}\n`);
  }

  #hear(message: Json): void {
    const { id, method, params } = message;
    if (method === undefined) return this.#waiting.get(Number(id))?.(message);
    const { requestId } = (params ?? {}) as Json;
    if (method === 'notifications/cancelled') this.#cancelled.add(requestId);
    // It takes what it has answered for what is to be stopped, and stops.
    this.#isSilent ||= this.#is('falls-silent') && this.#seen.has(requestId);
    if (id === undefined)
      return this.#is('answers-notices')
        ? this.#say({ id: null, error: { code: -32_601, message: 'what?' } })
        : undefined;
    if (this.#isSilent && method === 'ping') return undefined;
    void this.#answered(id, method as string, (params ?? {}) as Json);
  }

  async #answered(id: unknown, method: string, params: Json): Promise<void> {
    this.#seen.add(id);
    if (this.#is('answers-cancelled') && method === 'elicitation/create') {
      await pause(200);
      if (this.#cancelled.has(id)) await pause(2_300);
    }
    const token = ((params['_meta'] ?? {}) as Json)['progressToken'];
    const tell = (progress: number, progressToken = token): void =>
      this.#say({ method: 'notifications/progress', params: { progressToken, progress } });
    if (token !== undefined) for (const value of this.#is('progress-falls') ? [2, 1] : [1, 2]) tell(value);
    if (token !== undefined && this.#is('progress-of-nothing')) tell(1, 'none');
    if (method === 'tasks/result') tell(5, this.#taskToken);
    const given = method.startsWith('tasks/') ? await this.#aboutTask(method, params) : this.#given(method, params);
    this.#say({ id: this.#is('ids-as-text') ? String(id) : id, ...given });
    if (params['task'] !== undefined) this.#taskToken = token;
    if (method === 'tasks/get' && this.#is('progress-after-its-task')) {
      const { status } = (given['result'] ?? {}) as { readonly status?: string };
      if (status === 'completed') tell(9 + ++this.#ids, this.#taskToken);
    }
    if (token !== undefined && this.#is('progress-after-the-end')) tell(3);
  }

  /** Answers a question, as a task where that is asked. */
  #given(method: string, params: Json): Json {
    const refused = (code: number): Json => ({ error: { code, message: 'no' } });
    if (method === 'ping')
      return this.#is('refuses-odd-meta') && params['_meta'] !== undefined ? refused(-32_602) : { result: {} };
    if (method === 'roots/list' && this.#is('takes-roots')) return { result: { roots: [] } };
    if (method === 'roots/list' && this.#is('odd-roots-code')) return refused(-32_602);
    if (method === 'roots/list' && this.#is('changes-roots'))
      return { result: { roots: [{ uri: `file:///tmp/${this.#roots++}` }] } };
    const samples = ['takes-sampling', 'takes-tools', 'takes-half-a-tool'] as const;
    if (method === 'sampling/createMessage' && !samples.some((mistake) => this.#is(mistake))) return refused(-32_601);
    if (
      method === 'sampling/createMessage' &&
      (params['tools'] === undefined || this.#is('takes-tools') || this.#is('takes-half-a-tool'))
    )
      return { result: { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'any' } };
    if (method === 'sampling/createMessage') return refused(-32_602);
    if (method !== 'elicitation/create') return refused(-32_601);
    if (params['mode'] === undefined && this.#is('wants-a-mode')) return refused(-32_602);
    if (params['mode'] === 'url' && !this.#is('takes-url')) return refused(-32_602);
    const meta = params['_meta'] as Json | undefined;
    const own =
      meta?.[related] !== undefined && !this.#is('answers-without-task') ? { _meta: { [related]: meta[related] } } : {};
    if (params['task'] === undefined || this.#is('task-as-result')) return { result: { ...form, ...own } };
    return this.#is('refuses-task') ? refused(-32_602) : this.#made();
  }

  #made(): Json {
    const id = this.#is('same-id-twice') ? 'task' : `task-${++this.#ids}`;
    const status = this.#is('begins-completed') ? 'completed' : 'working';
    this.#hosted.set(id, { status, result: this.#is('other-result') ? { content: [] } : form });
    return { result: { task: this.#view(id) } };
  }

  #view(taskId: string): Json {
    const { status } = this.#hosted.get(taskId) ?? { status: 'completed' };
    return {
      taskId,
      status,
      createdAt: this.#is('no-times') ? 'today' : time,
      lastUpdatedAt: time,
      ttl: 60_000,
    };
  }

  async #aboutTask(method: string, params: Json): Promise<Json> {
    const refused = { error: { code: -32_602, message: 'no' } };
    if (method === 'tasks/list')
      return params['cursor'] === undefined ? { result: { tasks: this.#listed() } } : refused;
    const named = ((params['_meta'] as Json | undefined)?.[related] as Json | undefined)?.['taskId'];
    const id = String(this.#is('believes-related') ? (named ?? params['taskId']) : params['taskId']);
    const task = this.#hosted.get(id);
    if (task === undefined) return this.#is('knows-any-id') ? { result: this.#view(id) } : refused;
    const isOver = task.status !== 'working';
    if (method === 'tasks/result') return await this.#resultOf(id, task);
    if (method === 'tasks/cancel') {
      if (isOver && !this.#is('cancels-what-ended')) return refused;
      if (!isOver && !this.#is('cancels-later')) task.status = 'cancelled';
      const view = this.#view(id);
      if (this.#is('comes-back')) task.status = 'completed';
      return { result: view };
    }
    const { ttl, ...rest } = this.#view(id);
    const view = this.#is('no-ttl') ? rest : { ...rest, ttl };
    // It is still told what it was, and is another from then on.
    if (isOver && this.#is('changes-at-the-end')) task.status = 'failed';
    return {
      result: {
        ...view,
        ...(task.status === 'failed' && !this.#is('fails-silently') && { statusMessage: 'it failed' }),
      },
    };
  }

  #listed(): readonly Json[] {
    return this.#is('lists-none') ? [] : [...this.#hosted.keys()].map((id) => this.#view(id));
  }

  async #resultOf(id: string, task: Hosted): Promise<Json> {
    await pause(10);
    if (!this.#is('result-too-early')) task.status = this.#is('fails-silently') ? 'failed' : 'completed';
    return {
      result: { ...task.result, ...(!this.#is('result-says-nothing') && { _meta: { [related]: { taskId: id } } }) },
    };
  }
}
