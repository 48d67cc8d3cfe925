const sampleRate = 8_000;
const samples = 1_600;

let made: Buffer | undefined;

/** A fifth of a second of a tone, as a WAV file (RIFF, 8-bit PCM, mono, 8 kHz). */
export function simulatedRecording(): Buffer {
  if (made) return made;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples, 40);
  const tone = Uint8Array.from({ length: samples }, (_, n) => 128 + Math.round(60 * Math.sin(n / 3)));
  made = Buffer.concat([header, tone]);
  return made;
}
