import type { ComponentChildren, JSX } from 'preact';
import type { LogView } from '../../view.ts';
import { useState } from 'preact/hooks';
import { VirtualList } from '../list.tsx';
import { clock, line, plain } from '../plain.ts';
import { act, chosenServer, logs, server } from '../state.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Log of a server, by levels, with its standard error beside it. */
export function Logs(): JSX.Element {
  const [chosen, setChosen] = useState<LogView>();
  const [least, setLeast] = useState('debug');
  const [hasErrors, setErrors] = useState(true);
  const own = logs.value.filter(
    (log) =>
      log.server === chosenServer.value &&
      (log.level === 'stderr' ? hasErrors : levels.indexOf(log.level) >= levels.indexOf(least)),
  );
  // The choice is a line, not a position: the oldest lines are dropped, and the filter may change.
  const at = chosen === undefined ? -1 : own.indexOf(chosen);
  return (
    <div class="logs">
      <Levels least={least} onLeast={setLeast}>
        {server.value?.kind === 'stdio' && (
          <label class="again">
            <input type="checkbox" checked={hasErrors} onChange={(event) => setErrors(event.currentTarget.checked)} />
            standard error
          </label>
        )}
      </Levels>
      {own.length === 0 ? (
        <p class="empty">Nothing was logged.</p>
      ) : (
        <VirtualList
          className="log-list"
          label="Log"
          count={own.length}
          height={22}
          at={at}
          follows
          keyOf={(index) => index}
          onChoose={(index) => setChosen(own[index])}
          rowClass={(index) => `level-${own[index]?.level ?? ''}`}
          cells={(index) => {
            const log = own[index];
            return (
              <>
                <span role="gridcell" class="when muted mono">
                  {clock(log?.t ?? 0)}
                </span>
                <span role="gridcell" class="level">
                  {log?.level}
                </span>
                <span role="gridcell" class="mono">
                  {log?.logger !== undefined && <b>{line(log.logger, 40)} </b>}
                  {line(log?.text ?? '', 400)}
                </span>
              </>
            );
          }}
        />
      )}
      {chosen !== undefined && <pre class="text">{plain(chosen.text)}</pre>}
    </div>
  );
}

function Levels(props: {
  readonly least: string;
  readonly onLeast: (level: string) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { least, onLeast, children } = props;
  const canSet = server.value?.capabilities?.['logging'] !== undefined;
  const { logLevel = '', logsOnRequest = false } = server.value ?? {};
  return (
    <p class="doing">
      <label>
        Show from{' '}
        <select value={least} onChange={(event) => onLeast(event.currentTarget.value)}>
          {levels.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      </label>
      <label>
        Ask the server for{' '}
        <select
          value={logLevel}
          disabled={!canSet}
          onChange={(event) => void act('log-level', { server: chosenServer.value, level: event.currentTarget.value })}
        >
          {(logsOnRequest || logLevel === '') && <option value="">{logsOnRequest ? 'nothing' : 'as it likes'}</option>}
          {levels.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      </label>
      {children}
      {!canSet && <span class="muted">this server has no logging</span>}
    </p>
  );
}
