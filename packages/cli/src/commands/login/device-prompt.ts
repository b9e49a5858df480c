import type { DevicePrompt } from '../../../../parley/src/auth/client/interactive/device.ts';
import { printed } from '../shown.ts';

/** Lines that tell a person where to go and what to enter there, by any device. */
export function devicePromptText(prompt: DevicePrompt): string {
  const { verificationUri, userCode, verificationUriComplete, expiresIn } = prompt;
  const [page, code] = [verificationUri, userCode].map((text) => `  ${printed(text, 'line')}\n\n`);
  const complete =
    verificationUriComplete === undefined
      ? ''
      : `Or open this page, where the code is entered already:\n\n  ${printed(verificationUriComplete, 'line')}\n\n`;
  return `To sign in, open this page in a browser on any device:\n\n${page}and enter this code:\n\n${code}${complete}The code is valid for ${duration(expiresIn)}. Enter it only on that page, and do not share it.\n`;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
