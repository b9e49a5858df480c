import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Prompt } from '../../../../parley/src/protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../../../parley/src/protocol/features/resources.ts';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import { styled } from '../colour.ts';
import { clipped } from '../explain/text.ts';
import { printed } from '../shown.ts';
import type { ListedOffer } from './catalogue.ts';

/** Writes a catalogue for a person. */
export function renderCatalogue(catalogue: ListedOffer, description: string, coloured: boolean): string {
  const { server, revision, instructions, tools, resources, resourceTemplates, prompts, refused = {} } = catalogue;
  const name = server === undefined ? 'a server without a name' : `${server.title ?? server.name} ${server.version}`;
  const parts = [
    `${printed(`${clipped(name, widest)}, revision ${revision}, ${description}`, 'line')}\n${instructions === undefined ? '' : `${printed(firstLine(instructions), 'lines')}\n`}`,
    section(styled('tools', 'bold', coloured), tools.map(toolRow)),
    section(styled('resources', 'bold', coloured), resources.map(resourceRow)),
    section(styled('resource templates', 'bold', coloured), resourceTemplates.map(templateRow)),
    section(styled('prompts', 'bold', coloured), prompts.map(promptRow)),
    section(styled('refused', 'bold', coloured), Object.entries(refused)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function section(title: string, given: readonly (readonly [string, string])[]): string {
  if (given.length === 0) return '';
  const rows = given.map(([left, right]) => [cell(left), cell(right)] as const);
  const width = Math.min(40, Math.max(...rows.map(([left]) => left.length)));
  return `${title}\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')}\n`;
}

/** Length up to which one thing is shown, in characters. */
const widest = 400;

function cell(text: string): string {
  return printed(clipped(text, widest), 'line');
}

/** A tool with its arguments, and what it is about. */
export function toolRow(tool: Tool): readonly [string, string] {
  return [signature(tool), about(tool.title ?? tool.annotations?.title, tool.description)];
}

/** A resource, and what it is. */
export function resourceRow(resource: Resource): readonly [string, string] {
  return [resource.uri, about(resource.title ?? resource.name, resource.description, sizeOf(resource))];
}

/** A resource template, and what it is. */
export function templateRow(template: ResourceTemplate): readonly [string, string] {
  return [template.uriTemplate, about(template.title ?? template.name, template.description)];
}

/** A prompt with its arguments, and what it is about. */
export function promptRow(prompt: Prompt): readonly [string, string] {
  return [promptSignature(prompt), about(prompt.title, prompt.description)];
}

function about(title: string | undefined, description: string | undefined, extra?: string): string {
  const words = [title, description]
    .filter((one) => one !== undefined && one !== '')
    .map((one) => firstLine(one ?? ''));
  return [...new Set(words)].join(': ') + (extra === undefined ? '' : ` (${extra})`);
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.replace(/^#+ /, '') ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

function sizeOf({ mimeType, size }: Resource): string | undefined {
  const facts = [mimeType, size === undefined ? undefined : `${size} bytes`].filter((one) => one !== undefined);
  return facts.length === 0 ? undefined : facts.join(', ');
}

function signature({ name, inputSchema }: Tool): string {
  const required = new Set(inputSchema.required);
  const properties = Object.entries(inputSchema.properties ?? {});
  return `${name}(${properties.map(([key, schema]) => `${key}${required.has(key) ? '' : '?'}${typeWords(schema)}`).join(', ')})`;
}

function typeWords(schema: unknown): string {
  if (!isObject(schema)) return '';
  const { type, enum: members } = schema;
  if (Array.isArray(members) && members.length <= 6)
    return `: ${members.map((member) => JSON.stringify(member)).join('|')}`;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  return types.length === 0 ? '' : `: ${types.join('|')}`;
}

function promptSignature({ name, arguments: list = [] }: Prompt): string {
  return `${name}(${list.map((argument) => `${argument.name}${argument.required === true ? '' : '?'}`).join(', ')})`;
}
