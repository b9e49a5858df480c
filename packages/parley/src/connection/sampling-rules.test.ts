import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SamplingMessage, SamplingMessageContentBlock } from '../protocol/features/sampling.ts';
import { samplingProblem } from './sampling-rules.ts';

const text = { type: 'text', text: 'hi' } as const;
const use = (id: string) => ({ type: 'tool_use', id, name: 'find', input: {} }) as const;
const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] }) as const;
const user = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: 'user', content });
const assistant = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: 'assistant', content });

const turn = fc
  .uniqueArray(fc.string({ maxLength: 8 }), { maxLength: 4 })
  .chain((ids) =>
    fc
      .shuffledSubarray(ids, { minLength: ids.length })
      .map((answered): readonly SamplingMessage[] => [
        { role: 'user', content: text },
        assistant(text, ...ids.map(use)),
        ...(ids.length === 0 ? [] : [user(...answered.map(result))]),
      ]),
  );
const conversation = fc.array(turn, { maxLength: 5 }).map((turns) => turns.flat());

describe('the messages of a sampling request', () => {
  it('are fine when each tool use is answered at once [C94] [sampling-010] [sampling-011]', () => {
    fc.assert(fc.property(conversation, (messages) => assert.equal(samplingProblem({ messages }), undefined)));
  });

  it('may hold no tools at all, and single blocks', () => {
    const single: readonly SamplingMessage[] = [
      { role: 'user', content: text },
      { role: 'assistant', content: use('a') },
      { role: 'user', content: result('a') },
    ];
    assert.equal(samplingProblem({ messages: single }), undefined);
    assert.equal(samplingProblem({ messages: [] }), undefined);
  });

  it('may have a key of any name in a block', () => {
    const block = { ...text, length: 3 };
    assert.equal(samplingProblem({ messages: [{ role: 'user', content: block }] }), undefined);
  });

  it('are refused when any one tool result is taken away [sampling-011] [sampling-012] [sampling-024]', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, seed) => {
        const places = messages.flatMap(({ content }, at) =>
          Array.isArray(content)
            ? content.flatMap((block, index) => (block.type === 'tool_result' ? [{ at, index }] : []))
            : [],
        );
        const place = places[seed % places.length];
        fc.pre(place !== undefined);
        const broken = messages.map((message, at) =>
          at === place.at && Array.isArray(message.content)
            ? { ...message, content: message.content.toSpliced(place.index, 1) }
            : message,
        );
        assert.match(samplingProblem({ messages: broken }) ?? '', /lacks the tool result/);
      }),
    );
  });

  for (const [title, messages, problem] of [
    ['mix tool results with text', [assistant(use('a')), user(text, result('a'))], /mixes/],
    ['end with a tool use', [user(text), assistant(use('a'))], /"a" is missing/],
    ['go on before a tool use is answered', [assistant(use('a')), user(text), user(result('a'))], /\[1\] lacks/],
    ['answer in two messages', [assistant(use('a'), use('b')), user(result('a')), user(result('b'))], /\[1\] lacks/],
    ['answer what was not used [sampling-013]', [assistant(use('a')), user(result('b'))], /"b".*nothing/],
    ['answer twice', [assistant(use('a')), user(result('a'), result('a'))], /"a".*nothing/],
    ['answer later again', [assistant(use('a')), user(result('a')), user(result('a'))], /\[2\].*nothing/],
    ['use one id twice', [assistant(use('a'), use('a')), user(result('a'))], /two tool uses/],
    ['let the user use a tool', [user(use('a')), user(result('a'))], /only the assistant/],
    ['let the assistant answer', [assistant(use('a')), assistant(result('a'))], /only the user/],
  ] as const) {
    it(`are refused when they ${title} [sampling-010] [sampling-011]`, () => {
      assert.match(samplingProblem({ messages }) ?? '', problem);
    });
  }
});
