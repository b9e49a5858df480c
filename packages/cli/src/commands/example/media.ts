/** A picture and a sound, drawn and played by arithmetic, so that the example server has something to show. */

import { crc32, deflateSync } from 'node:zlib';

/** Draws a square PNG: a disc on a gradient. */
export function picture(size: number): Buffer {
  const rows = Array.from({ length: size }, (_, y) => {
    const pixels = Array.from({ length: size }, (_, x) => {
      const inside = Math.hypot(x - size / 2 + 0.5, y - size / 2 + 0.5) < size / 3;
      return inside ? [255, 214, 102] : [Math.floor((x / size) * 160), 90, 120 + Math.floor((y / size) * 120)];
    });
    // Each row begins with the number of its filter; 0 is none.
    return [0, ...pixels.flat()];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

const rate = 8000;

/** Plays a quarter of a second of a tone, as a WAV file of one channel with eight bits. */
export function tone(hertz: number): Buffer {
  const samples = Buffer.from(
    Array.from({ length: rate / 4 }, (_, at) => 128 + Math.round(100 * Math.sin((2 * Math.PI * hertz * at) / rate))),
  );
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
