import { newestRevision } from '../../../../parley/src/protocol/revision.ts';
import type { CheckReport, Finding } from '../report.ts';

/** Deviation that comes from an SDK and not from the server that uses it. */
interface Trait {
  readonly id: string;
  /** Text in the reason or in the answer. */
  readonly text: RegExp;
  /** True if only this SDK writes the text: one such answer shows that the server uses it. */
  readonly isSign?: true;
}

interface SdkTraits {
  readonly sdk: string;
  /** Tells whether it speaks the newest revision; left out if some versions do. */
  readonly isNewest?: boolean;
  readonly traits: readonly Trait[];
}

/**
 * Known deviations of SDKs. A server cannot be asked for its SDK, so that the texts of its own answers have to show it.
 * Only recommendations are here: a broken MUST counts, whoever wrote it.
 */
const sdks: readonly SdkTraits[] = [
  {
    sdk: '@modelcontextprotocol/server 2.x',
    isNewest: true,
    traits: [
      { id: 'basic-016', text: /\[\\n \{\\n .{0,200}\\"code\\": \\"/, isSign: true },
      { id: 'resources-013', text: /"message":"Resource not found: / },
      { id: 'logging-003', text: /the error has the code -32603, and not -32602/ },
      { id: 'page-009', text: /it was served/ },
    ],
  },
  {
    sdk: '@modelcontextprotocol/sdk 1.x',
    isNewest: false,
    traits: [
      { id: 'basic-016', text: /\[\\n \{\\n .{0,200}\\"code\\": \\"/, isSign: true },
      {
        id: 'tools-024',
        text: /"text":"MCP error -326\d\d: (?:Tool .{0,200} (?:not found|disabled)|Unknown tool)/,
        isSign: true,
      },
      { id: 'resources-013', text: /"message":"MCP error -32602: Resource .{0,500} not found"/, isSign: true },
      { id: 'compl-004', text: /"message":"MCP error -326\d\d: / },
      { id: 'prompts-009', text: /"message":"MCP error -326\d\d: / },
      { id: 'logging-003', text: /the error has the code -32603, and not -32602/ },
      { id: 'page-009', text: /it was served/ },
    ],
  },
  {
    sdk: 'mcp (PyPI)',
    traits: [
      { id: 'prompts-009', text: /"code":0,"message":"Unknown prompt: /, isSign: true },
      { id: 'resources-013', text: /"message":"Unknown resource: /, isSign: true },
      { id: 'tools-024', text: /"text":"Unknown tool: /, isSign: true },
      { id: 'page-009', text: /it was served/ },
    ],
  },
];

/** Finds the SDK that explains findings. @returns Its name for each of them. */
export function traitsIn({ findings, revisions }: CheckReport): ReadonlyMap<Finding, string> {
  const isOf = (finding: Finding, { id, text }: Trait): boolean =>
    finding.severity === 'warning' && finding.id === id && text.test(`${finding.why}\n${finding.came}`);
  const speaksNewest = revisions.some(({ revision, spoken }) => spoken && revision === newestRevision.date);
  const known = sdks.find(
    ({ traits, isNewest = speaksNewest }) =>
      isNewest === speaksNewest &&
      traits.some((trait) => trait.isSign === true && findings.some((finding) => isOf(finding, trait))),
  );
  if (known === undefined) return new Map();
  const { sdk, traits } = known;
  return new Map(findings.filter((one) => traits.some((trait) => isOf(one, trait))).map((finding) => [finding, sdk]));
}
