import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { Icon } from '../../../../parley/src/protocol/features/common.ts';
import { createServer, type Server } from '../../../../parley/src/server/server.ts';
import { ToolError } from '../../../../parley/src/server/definition/tool-result.ts';
import { addApp } from './app.ts';
import { addQuestions } from './asking.ts';
import { cities, cityNamed, cityNames, describeCity, forecast } from './data.ts';
import { picture, tone } from './media.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';

const icon = (drawing: string): Icon => ({
  src: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${drawing}</svg>`)}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
});

const sun = icon('<circle cx="12" cy="12" r="8" fill="#fc6"/>');

/** The server that `parley example` serves: small, but with something of everything that servers offer. */
export function createExampleServer(): Server {
  const server = createServer(
    {
      name: 'parley-example',
      version,
      title: 'Parley example',
      description: 'Invented weather, and one example of every other feature.',
      icons: [sun],
    },
    {
      instructions: 'A server to look at. Ask for the forecast of a city; nothing that it says is true.',
      capabilities: { logging: {} },
      cache: { ttlMs: 60_000, cacheScope: 'public' },
    },
  );
  addTools(server);
  addForecast(server);
  addCountdown(server);
  addMedia(server);
  addLinks(server);
  addResources(server);
  addPrompts(server);
  addQuestions(server);
  addApp(server);
  return server;
}

function addTools(server: Server): void {
  server.tool(
    'echo',
    {
      title: 'Echo',
      description: 'Says a message back.',
      input: {
        type: 'object',
        properties: { message: { type: 'string', description: 'What to say.' } },
        required: ['message'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ message }) => message,
  );
  server.tool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool(
    'fail',
    { title: 'Fail', description: 'Fails, and says why.', annotations: { readOnlyHint: true } },
    () => {
      throw new ToolError('the kettle is empty; fill it and try again');
    },
  );
}

function addForecast(server: Server): void {
  server.tool(
    'forecast',
    {
      title: 'Forecast',
      description: 'Gives the weather of a city for some days.',
      icons: [sun],
      input: {
        type: 'object',
        properties: {
          city: { type: 'string', description: `One of ${cityNames.join(', ')}.` },
          days: { type: 'integer', minimum: 1, maximum: 7, description: 'How many days; 3 when left out.' },
        },
        required: ['city'],
      },
      output: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: {
            type: 'array',
            items: {
              type: 'object',
              properties: { day: { type: 'integer' }, sky: { type: 'string' }, celsius: { type: 'integer' } },
              required: ['day', 'sky', 'celsius'],
            },
          },
        },
        required: ['city', 'days'],
      },
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ city, days }) => {
      const found = cityNamed(city);
      if (found === undefined)
        throw new ToolError(`there is no weather in ${JSON.stringify(city)}; try ${cityNames.join(', ')}`);
      return { city: found.name, days: forecast(found, days ?? 3) };
    },
  );
}

function addCountdown(server: Server): void {
  server.tool(
    'countdown',
    {
      title: 'Countdown',
      description: 'Counts down to zero with progress and log messages; it stops when it is cancelled.',
      input: {
        type: 'object',
        properties: {
          from: { type: 'integer', minimum: 1, maximum: 100, description: 'Where to begin; 5 when left out.' },
          pauseMs: {
            type: 'integer',
            minimum: 0,
            maximum: 10_000,
            description: 'How long each step takes; 200 when left out.',
          },
        },
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
      task: 'optional',
    },
    async ({ from = 5, pauseMs = 200 }, ctx) => {
      for (let done = 1; done <= from; done++) {
        await pause(pauseMs, ctx.signal);
        if (ctx.signal.aborted) throw new ToolError(`cancelled at ${from - done + 1}`);
        ctx.progress(done, from, `${from - done} to go`);
        ctx.log('info', { left: from - done }, 'countdown');
      }
      return 'lift-off';
    },
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ended = (): void => {
      cancel();
      signal.removeEventListener('abort', ended);
      resolve();
    };
    const cancel = after(ms, ended, true);
    signal.addEventListener('abort', ended, { once: true });
    if (signal.aborted) ended();
  });
}

function addMedia(server: Server): void {
  server.tool(
    'picture',
    {
      title: 'Picture',
      description: 'Draws a small picture.',
      input: {
        type: 'object',
        properties: {
          size: { type: 'integer', minimum: 8, maximum: 256, description: 'In pixels; 64 when left out.' },
        },
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ size = 64 }) => [
      { type: 'text', text: 'The sun, from memory:', annotations: { audience: ['user'], priority: 0.3 } },
      {
        type: 'image',
        data: picture(size).toString('base64'),
        mimeType: 'image/png',
        annotations: { audience: ['user'], priority: 1 },
      },
    ],
  );
  server.tool(
    'tone',
    {
      title: 'Tone',
      description: 'Plays a quarter of a second of a tone.',
      input: {
        type: 'object',
        properties: { hertz: { type: 'number', minimum: 50, maximum: 4000, description: '440 when left out.' } },
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ hertz = 440 }) => ({ type: 'audio', data: tone(hertz).toString('base64'), mimeType: 'audio/wav' }),
  );
}

function addLinks(server: Server): void {
  server.tool(
    'cities',
    { title: 'Cities', description: 'Links to the facts of each city.', annotations: { readOnlyHint: true } },
    () =>
      cities.map(({ name }) => ({
        type: 'resource_link',
        uri: cityUri(name),
        name,
        description: `Facts of ${name}.`,
        mimeType: 'text/markdown',
        annotations: { audience: ['assistant'], priority: 0.5 },
      })),
  );
  server.tool(
    'manual',
    { title: 'Manual', description: 'Encloses the manual.', annotations: { readOnlyHint: true } },
    () => [
      { type: 'text', text: 'The manual is enclosed.' },
      { type: 'resource', resource: { uri: manualUri, mimeType: 'text/markdown', text: manual } },
    ],
  );
}

const manualUri = 'example://manual';
const manual = '# The Parley example\n\nAsk `forecast` for the weather of a city. Believe none of it.\n';
const cityUri = (name: string): string => `example://cities/${encodeURIComponent(name)}`;

function addResources(server: Server): void {
  server.resource(
    manualUri,
    {
      name: 'manual',
      title: 'The manual',
      mimeType: 'text/markdown',
      size: Buffer.byteLength(manual),
      annotations: { audience: ['user', 'assistant'], priority: 0.8 },
    },
    () => manual,
  );
  const sunPicture = picture(64);
  server.resource(
    'example://sun.png',
    { name: 'sun.png', title: 'The sun', mimeType: 'image/png', size: sunPicture.length },
    () => sunPicture,
  );
  server.resourceTemplate(
    'example://cities/{city}',
    {
      name: 'city',
      title: 'A city',
      description: 'Facts of a city.',
      mimeType: 'text/markdown',
      complete: { city: citiesLike },
    },
    (_uri, variables) => {
      const city = cityNamed(variables.city);
      return city === undefined ? undefined : describeCity(city);
    },
  );
}

function addPrompts(server: Server): void {
  server.prompt(
    'greet',
    {
      title: 'Greet somebody',
      description: 'Writes a greeting.',
      arguments: [
        { name: 'name', description: 'Whom to greet.', required: true },
        { name: 'tone', title: 'Tone', description: 'How to sound.' },
      ],
      complete: { tone: (typed) => ['friendly', 'formal', 'gruff'].filter((word) => word.startsWith(typed)) },
    },
    ({ name, tone: sound }) => `Write a ${sound ?? 'friendly'} greeting for ${name}.`,
  );
  server.prompt(
    'pack',
    {
      title: 'Pack for a journey',
      description: 'Asks what to pack, and encloses the facts of the city.',
      icons: [sun],
      arguments: [{ name: 'city', description: 'Where to go.', required: true }],
      complete: { city: citiesLike },
    },
    ({ city: name }) => {
      const city = cityNamed(name);
      const question = {
        role: 'user',
        content: { type: 'text', text: `What do I pack for a week in ${name}?` },
      } as const;
      if (city === undefined) return question;
      const resource = { uri: cityUri(city.name), mimeType: 'text/markdown', text: describeCity(city) };
      return [question, { role: 'user', content: { type: 'resource', resource } }];
    },
  );
}

function citiesLike(typed: string): readonly string[] {
  return cityNames.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
}
