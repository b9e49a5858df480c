/** Lists the small faults that can be planted in a source file, one at a time. */

import { parseAst } from 'rolldown/parseAst';

/** One fault: the text between two offsets of a file is replaced. */
export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** A test that never executes this offset cannot find the fault. */
  readonly at: number;
  /** Whether it is in no function. */
  readonly isTopLevel: boolean;
  readonly lineNumber: number;
  /** The line on which it begins. */
  readonly line: string;
  /** Kind, old text and new text, short, on one line. */
  readonly change: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Kind, what is replaced, and by what. */
type Edit = readonly [string, { readonly start: number; readonly end: number }, string];

const edges: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const logic: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '&&': '||', '||': '&&' };
const maxSmallLimit = 64;

/** All faults of a file, in the order of their places. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  // The parser returns ESTree with `start` and `end` in every node; the walk checks what it reads.
  return [...walk(parseAst(source, { lang: 'ts' }) as unknown as Node, [])].flatMap(([node, parents]) =>
    editsOf(node, parents, source).map(([kind, { start, end }, text]) => {
      const before = source.slice(0, start).split('\n');
      const line = `${before.at(-1)}${source.slice(start).split('\n', 1)[0]}`.trim();
      const to = source.slice(node.start, start) + text + source.slice(end, node.end);
      const change = `${kind}: ${short(source.slice(node.start, node.end))} → ${short(to)}`;
      const isTopLevel = !parents.some(({ type }) => type.includes('Function'));
      return { file, start, end, text, at: node.start, isTopLevel, lineNumber: before.length, line, change };
    }),
  );
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 50)} … ${line.slice(-18)}` : line;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function* walk(node: Node, parents: readonly Node[]): Generator<readonly [Node, readonly Node[]]> {
  const { type, callee } = node;
  // Types, imports, and the messages of errors hold no behavior that a test should see.
  if (type === 'ImportDeclaration' || (type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(type))) return;
  if (type === 'NewExpression' && isNode(callee) && String(callee['name']).endsWith('Error')) return;
  yield [node, parents];
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* walk(child, [...parents, node]);
}

function editsOf(node: Node, parents: readonly Node[], source: string): readonly Edit[] {
  const { start, left, operator, test, value, key } = node;
  const parent = parents.at(-1);
  const within = (types: RegExp): boolean => parents.some(({ type }) => types.test(type));
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const sign = String(operator);
      const text = edges[sign] ?? logic[sign];
      if (text === undefined || !isNode(left)) return [];
      const place = source.indexOf(sign, left.end);
      return [[sign in edges ? 'edge' : 'logic', { start: place, end: place + sign.length }, text]];
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      // An equality that is swapped is the same fault.
      if (!isNode(test) || String(test['operator']) in logic) return [];
      return [['branch', test, `!(${source.slice(test.start, test.end)})`]];
    case 'AwaitExpression':
      // A function that returns a promise does the same with `return await`, unless a `try` is around it.
      return isReturned(node, parents) ? [] : [['await', { start, end: start + 'await'.length }, '']];
    case 'ExpressionStatement':
      return typeof node['directive'] === 'string' || source.startsWith('super(', start)
        ? []
        : [['statement', node, ';']];
    case 'ThrowStatement':
      return within(/^If/) ? [['throw', node, ';']] : [];
    case 'ReturnStatement':
      return within(/^(?:If|For|Switch|Try|While)/) ? [['return', node, ';']] : [];
    case 'Property':
      return isNode(key) && key['name'] === 'signal' && parent?.type === 'ObjectExpression'
        ? [['abort', node, 'signal: undefined']]
        : [];
    case 'Literal': {
      if (typeof value === 'boolean') return [['boolean', node, String(!value)]];
      // Sizes and times are products: a step of one factor is no small one.
      const isFactor = parent?.type === 'BinaryExpression' && /[*/]/.test(String(parent['operator']));
      // `name: 1` in a table says that the name exists: the compiler refuses another value.
      const isName = parent?.type === 'Property' && value === 1;
      const isLimit = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxSmallLimit;
      return isLimit && !isFactor && !isName
        ? [1, -1].map((step) => ['number', node, String(Number(value) + step)])
        : [];
    }
    default:
      return [];
  }
}

function isReturned(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  const isPart = parent?.['test'] === node || parent?.['left'] === node;
  if (parent !== undefined && !isPart && /^(?:Conditional|Logical|TSAs)/.test(parent.type))
    return isReturned(parent, parents.slice(0, -1));
  const inside = parents.slice(parents.findLastIndex(({ type }) => /Function/.test(type)));
  const returns = parent?.type === 'ReturnStatement' || parent?.['body'] === node;
  return returns && inside.every(({ type }) => type !== 'TryStatement');
}
