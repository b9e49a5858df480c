import { saveFile } from './parts.tsx';
import { api, problem, messageOf } from './state.ts';

/** Kinds of files as which the wire is saved: their words and names. */
export const exportKinds = [
  { what: 'recording', words: 'recording', file: 'recording.ndjson' },
  { what: 'transcript', words: 'transcript for tests', file: 'transcript.txt' },
  { what: 'har', words: 'HTTP archive', file: 'recording.har' },
  { what: 'page', words: 'web page to share', file: 'mcp-messages.html' },
] as const;

/** Saves the wire as a file. Errors are shown. */
export async function exportAs({ what, file }: (typeof exportKinds)[number]): Promise<void> {
  try {
    const { text } = await api.post<{ readonly text: string }>('export', { what });
    saveFile(file, text);
  } catch (error) {
    problem.value = messageOf(error);
  }
}
