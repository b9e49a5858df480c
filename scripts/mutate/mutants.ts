/** Lists the small faults that can be planted in a source file, one at a time. */

import { parseAst } from 'rolldown/parseAst';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One fault: the text between two offsets of a file is replaced. */
export interface Mutant extends Span {
  readonly file: string;
  readonly text: string;
  /** A test that never executes this offset cannot find the fault. */
  readonly at: number;
  /** The line on which it begins. */
  readonly line: string;
  /** Kind, old text and new text, short, on one line. */
  readonly change: string;
  /** The expression or statement that a condition can choose, around the place. */
  readonly unit: Span;
  readonly isStatement: boolean;
  /** Whether it is run more than once: what runs while a module loads is run once in a process. */
  readonly isRepeated: boolean;
}

interface Node extends Span {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Kind, what is replaced, and by what. */
type Edit = readonly [string, Span, string];

const edges: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const logic: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '&&': '||', '||': '&&' };

/** All faults of a file, in the order of their places. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  // The parser returns ESTree with `start` and `end` in every node; the walk checks what it reads.
  return [...walk(parseAst(source, { lang: 'ts' }) as unknown as Node, [])].flatMap(([node, parents]) =>
    editsOf(node, parents, source).map(([kind, { start, end }, text]) => {
      const line = `${source.slice(0, start).split('\n').at(-1)}${source.slice(start).split('\n', 1)[0]}`.trim();
      const to = source.slice(node.start, start) + text + source.slice(end, node.end);
      const change = `${kind}: ${short(source.slice(node.start, node.end))} → ${short(to)}`;
      const place = { file, start, end, text, at: node.start, line, change };
      return { ...place, ...unitOf(node, { start, end }), isRepeated: canChoose(node, parents) };
    }),
  );
}

function unitOf({ type, start, end }: Node, edit: Span): Pick<Mutant, 'unit' | 'isStatement'> {
  const unit = type === 'IfStatement' || type === 'ConditionalExpression' ? edit : { start, end };
  return { unit, isStatement: type.endsWith('Statement') && unit !== edit };
}

/** A condition can be neither a key nor a getter. */
function canChoose(node: Node, parents: readonly Node[]): boolean {
  return parents.some(isRepeated) && parents.at(-1)?.['key'] !== node && node['kind'] !== 'get';
}

function isRepeated({ type, static: isStatic }: Node): boolean {
  return type.includes('Function') || (type === 'PropertyDefinition' && isStatic !== true);
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

/** Tells whether a statement returns nothing, or `undefined`. */
function isEmpty({ type, argument }: Node): boolean {
  return type === 'ReturnStatement' && (!isNode(argument) || argument['name'] === 'undefined');
}

/** Tells whether nothing of the function is run after a statement. */
function isAtEnd(node: Node, [, ...inside]: readonly Node[]): boolean {
  const path = [...inside, node];
  return inside.every(
    ({ type, body, finalizer }, at) =>
      (type === 'BlockStatement' && Array.isArray(body) && body.at(-1) === path[at + 1]) ||
      ((type === 'IfStatement' || type === 'CatchClause' || type === 'TryStatement') && !isNode(finalizer)),
  );
}

function editsOf(node: Node, parents: readonly Node[], source: string): readonly Edit[] {
  const { start, left, test, value, key } = node;
  const [sign, parent] = [String(node['operator']), parents.at(-1)];
  const inside = parents.slice(parents.findLastIndex(({ type }) => type.includes('Function')));
  const isIn = (types: RegExp): boolean => inside.some(({ type }) => types.test(type));
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
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
    case 'AwaitExpression': {
      const user = inside.findLast(({ type }) => !/^(?:Conditional|Logical|TSAs)/.test(type))?.type ?? '';
      // A function that returns a promise does the same with `return await`, unless a `try` is around it.
      if (/^(?:Return|Arrow)/.test(user) && !isIn(/^Try/)) return [];
      return [['await', { start, end: start + 'await'.length }, '']];
    }
    case 'ExpressionStatement':
      return node['directive'] || source.startsWith('super(', start) ? [] : [['statement', node, ';']];
    case 'ThrowStatement':
    case 'ReturnStatement':
      // A function that comes to its end gives the same.
      if (isEmpty(node) && isAtEnd(node, inside)) return [];
      return isIn(/^(?:If|For|Switch|Try|While)/) ? [[source.slice(start).split(/\W/, 1)[0] ?? '', node, ';']] : [];
    case 'Property':
      if (parent?.type !== 'ObjectExpression' || !isNode(key) || key['name'] !== 'signal') return [];
      return [['abort', node, 'signal: undefined']];
    case 'Literal': {
      if (typeof value === 'boolean') return [['boolean', node, String(!value)]];
      // Sizes and times are products: a step of one factor is no small one.
      if (!Number.isInteger(value) || /[*/]/.test(String(parent?.['operator']))) return [];
      // `name: 1` in a table says that the name exists: the compiler refuses another value.
      if (Number(value) < 1 || Number(value) > 64 || (parent?.type === 'Property' && value === 1)) return [];
      return [1, -1].map((step) => ['number', node, String(Number(value) + step)]);
    }
    default:
      return [];
  }
}
