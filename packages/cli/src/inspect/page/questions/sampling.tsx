import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonView as Json, ProblemView, QuestionView } from '../../view.ts';
import { answerAlike } from './alike.ts';
import { ArgumentsField } from '../arguments.tsx';
import { useAsked } from '../asked.ts';
import { ContentView } from '../content/content.tsx';
import { FoldedJson } from '../json/json-view.tsx';
import { ChoiceButtons } from '../parts.tsx';
import { shortened, line, textValue } from '../plain.ts';
import { Answers } from './answers.tsx';

/** Reasons of a model to stop, by the specification; a server may be told any other. */
const stops = ['endTurn', 'maxTokens', 'stopSequence', 'toolUse'] as const;

/** Most uses of tools in one answer that is made here. */
const maxUses = 16;

/** A use of a tool as it is filled in. */
interface ToolUse {
  readonly name: string;
  /** Arguments, as JSON. */
  readonly text: string;
}

type Way = 'text' | 'tools' | 'json';

/** A question for a model, which the person answers in its place: by text, by uses of the tools that it may use, or by JSON. */
export function SamplingQuestion({
  question: { id, server, params },
}: {
  readonly question: QuestionView;
}): JSX.Element {
  const tools = toolsOf(params);
  const [way, setWay] = useState<Way>('text');
  const [answer, setAnswer] = useState('');
  const [uses, setUses] = useState<readonly ToolUse[]>([{ name: tools[0]?.name ?? '', text: '' }]);
  const [model, setModel] = useState('by-hand');
  const [stop, setStop] = useState<string>();
  const [raw, setRaw] = useState('');
  const stopReason = stop ?? (way === 'tools' ? 'toolUse' : 'endTurn');
  const made = madeOf(way === 'tools' ? contentOfUses(id, uses) : contentOfText(answer), model, stopReason);
  const text = way === 'json' ? raw : made;
  const choose = (next: Way): void => {
    if (next === 'json' && way !== 'json') setRaw(indented(made));
    setWay(next);
  };
  return (
    <>
      <Asked params={params} tools={tools} />
      <ChoiceButtons
        label="Answer as"
        of={[['text', 'Text'], ...(tools.length === 0 ? [] : [['tools', 'Use of a tool'] as const]), ['json', 'JSON']]}
        value={way}
        onChoose={choose}
      />
      <div class="sampling">
        {way === 'text' && (
          <label>
            Answer of the model
            <textarea rows={3} value={answer} onInput={(event) => setAnswer(event.currentTarget.value)} />
          </label>
        )}
        {way === 'tools' && <Uses id={id} tools={tools} uses={uses} onUses={setUses} />}
        {way === 'json' ? (
          <textarea
            class="json-text"
            aria-label="Answer as JSON"
            rows={8}
            value={raw}
            onInput={(event) => setRaw(event.currentTarget.value)}
          />
        ) : (
          <ModelFields model={model} onModel={setModel} stop={stopReason} onStop={setStop} />
        )}
      </div>
      <Answers id={id} accept="Answer" text={text} isWrong={!isJson(text)} />
      <button type="button" class="small" disabled={!isJson(text)} onClick={() => answerAlike(server, text)}>
        Answer all of this server like this
      </button>
    </>
  );
}

/** Facts of the model that supposedly answered. */
function ModelFields(props: {
  readonly model: string;
  readonly onModel: (model: string) => void;
  readonly stop: string;
  readonly onStop: (stop: string) => void;
}): JSX.Element {
  const { model, onModel, stop, onStop } = props;
  return (
    <>
      <label>
        Model
        <input value={model} onInput={(event) => onModel(event.currentTarget.value)} />
      </label>
      <label>
        Stopped since
        <select value={stop} onChange={(event) => onStop(event.currentTarget.value)}>
          {stops.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** Question of the server for the model: its words, the tools that it may use, limits and hints. */
function Asked({ params, tools }: { readonly params: Json; readonly tools: readonly OfferedTool[] }): JSX.Element {
  const { messages, systemPrompt, ...rest } = params;
  const toolChoice = rest['toolChoice'];
  const mode =
    typeof toolChoice === 'object' && toolChoice !== null && 'mode' in toolChoice ? toolChoice.mode : undefined;
  return (
    <>
      {typeof systemPrompt === 'string' && (
        <p>
          <b>system</b> {shortened(systemPrompt)}
        </p>
      )}
      {Array.isArray(messages) && messages.map((message: unknown, at) => <SaidMessage key={at} message={message} />)}
      {tools.length > 0 && (
        <>
          <p>
            It may use {tools.length === 1 ? 'a tool' : 'tools'}
            {typeof mode === 'string' && ` (${line(mode, 40)})`}:
          </p>
          <ul class="tools-offered">
            {tools.map(({ name, description }) => (
              <li key={name}>
                <code>{line(name, 80)}</code> <span class="muted">{line(description, 200)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>limits, hints and the other parameters</summary>
        <FoldedJson text={JSON.stringify(rest)} label="Parameters" />
      </details>
    </>
  );
}

function SaidMessage({ message }: { readonly message: unknown }): JSX.Element {
  const { role, content }: Json = typeof message === 'object' && message !== null ? { ...message } : {};
  return (
    <div class="message">
      <b>{line(String(role), 40)}</b>
      {[content].flat().map((block, at) => (
        <ContentView key={at} block={block} />
      ))}
    </div>
  );
}

interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** Tools that a model may use, each once. */
function toolsOf({ tools }: Json): readonly OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  const found = tools.flatMap((tool: unknown): OfferedTool[] => {
    const { name, description, inputSchema }: Json = typeof tool === 'object' && tool !== null ? { ...tool } : {};
    return typeof name === 'string' ? [{ name, description: textValue(description) ?? '', schema: inputSchema }] : [];
  });
  return [...new Map(found.map((tool) => [tool.name, tool])).values()];
}

function Uses(props: {
  readonly id: number;
  readonly tools: readonly OfferedTool[];
  readonly uses: readonly ToolUse[];
  readonly onUses: (uses: readonly ToolUse[]) => void;
}): JSX.Element {
  const { id, tools, uses, onUses } = props;
  const change = (at: number, more: Partial<ToolUse>): void =>
    onUses(uses.map((use, place) => (place === at ? { ...use, ...more } : use)));
  return (
    <>
      {uses.map((use, at) => (
        <fieldset key={at}>
          <legend>Use {at + 1}</legend>
          <label>
            Tool
            <select value={use.name} onChange={(event) => change(at, { name: event.currentTarget.value, text: '' })}>
              {tools.map(({ name }) => (
                <option key={name} value={name}>
                  {line(name, 80)}
                </option>
              ))}
            </select>
          </label>
          <UseArguments
            key={use.name}
            id={id}
            tool={tools.find(({ name }) => name === use.name)}
            text={use.text}
            onText={(text) => change(at, { text })}
          />
          {uses.length > 1 && (
            <button type="button" class="small" onClick={() => onUses(uses.filter((_, place) => place !== at))}>
              Leave out use {at + 1}
            </button>
          )}
        </fieldset>
      ))}
      <button
        type="button"
        class="small"
        disabled={uses.length >= maxUses}
        onClick={() => onUses([...uses, { name: tools[0]?.name ?? '', text: '' }])}
      >
        One use more
      </button>
    </>
  );
}

function UseArguments(props: {
  readonly id: number;
  readonly tool: OfferedTool | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
}): JSX.Element {
  const { id, tool, text, onText } = props;
  const { problems } = useAsked<{ readonly problems: readonly ProblemView[] }>({
    verb: 'validate-answer',
    body: { question: id, text, ...(tool === undefined ? {} : { tool: tool.name }) },
    keys: [text, id, tool?.name],
    quietMs: 150,
    // A question that waits no more goes away by itself.
    failed() {},
  }) ?? { problems: [] };
  return (
    <ArgumentsField
      schema={tool?.schema}
      text={text}
      onText={onText}
      problems={problems}
      label={`Arguments of ${tool?.name ?? 'the tool'}`}
      isTried={false}
    />
  );
}

function contentOfText(answer: string): string {
  return JSON.stringify({ type: 'text', text: answer });
}

/** Numbers keep the spelling in which they were typed. */
function contentOfUses(id: number, uses: readonly ToolUse[]): string {
  const blocks = uses.map(({ name, text }, at) => {
    const head = JSON.stringify({ type: 'tool_use', id: `use-${id}-${at + 1}`, name }).slice(0, -1);
    return `${head},"input":${text.trim() === '' ? '{}' : text}}`;
  });
  return `[${blocks.join(',')}]`;
}

function madeOf(content: string, model: string, stopReason: string): string {
  return `{"role":"assistant","content":${content},"model":${JSON.stringify(model)},"stopReason":${JSON.stringify(stopReason)}}`;
}

function indented(text: string): string {
  return isJson(text) ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
