import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { missing, supports, type ClientCapabilities } from '../../protocol/capability.ts';
import { advertised } from './advertise.ts';

const none = { form: false, url: false, sampling: false, roots: false };
const empty = fc.constant({});
const declared: fc.Arbitrary<ClientCapabilities> = fc.record(
  {
    experimental: fc.constant({ mine: {} }),
    roots: fc.record({ listChanged: fc.boolean() }, { requiredKeys: [] }),
    sampling: fc.record({ tools: empty, context: empty }, { requiredKeys: [] }),
    elicitation: fc.record({ form: empty, url: empty }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const installed = fc.record({ form: fc.boolean(), url: fc.boolean(), sampling: fc.boolean(), roots: fc.boolean() });

describe('what a client advertises', () => {
  for (const [handlers, capabilities] of [
    [{ form: true }, { elicitation: { form: {} } }],
    [{ url: true }, { elicitation: { url: {} } }],
    [{ form: true, url: true }, { elicitation: { form: {}, url: {} } }],
    [{ sampling: true }, { sampling: {} }],
    [{ roots: true }, { roots: { listChanged: true } }],
  ] as const) {
    it(`is implied by ${Object.keys(handlers).join(' and ')} [C25] [C26]`, () => {
      assert.deepEqual(advertised({}, { ...none, ...handlers }), capabilities);
    });
  }

  it('is never less than what was declared and what is installed [C27] [C86] [C87]', () => {
    fc.assert(
      fc.property(declared, installed, (capabilities, handlers) => {
        const all = advertised(capabilities, handlers);
        assert.equal(missing(capabilities, all), undefined);
        for (const [handler, flag] of [
          ['form', 'elicitation.form'],
          ['url', 'elicitation.url'],
          ['sampling', 'sampling'],
          ['roots', 'roots'],
        ] as const) {
          assert.equal(supports(all, flag), handlers[handler] || supports(capabilities, flag), flag);
        }
      }),
    );
  });

  it('keeps what was declared of roots and sampling as it is [C27]', () => {
    const capabilities = { roots: { listChanged: false }, sampling: { tools: {} } };
    assert.deepEqual(advertised(capabilities, { ...none, sampling: true, roots: true }), capabilities);
  });

  it('still means forms after an empty elicitation when visits are added [A23] [C27]', () => {
    assert.deepEqual(advertised({ elicitation: {} }, { ...none, url: true }), { elicitation: { form: {}, url: {} } });
  });
});
