/** How a call to a number goes, by the last two digits, as in Outdial's simulator. */
export function courseOf(toPhone: string, attempt: number) {
  const ends = (outcome: string, rings: boolean, picksUp: boolean) => ({
    outcome,
    rings,
    picksUp,
    ends: true,
  });
  const answers = ends('completed', true, true);
  switch (toPhone.slice(-2)) {
    case '91':
      return ends('busy', false, false);
    case '92':
      return ends('no_answer', true, false);
    case '93':
      return ends('rejected', true, false);
    case '94':
      return ends('voicemail', true, true);
    case '95':
      return ends('failed', false, false);
    case '96':
      return ends('invalid_number', false, false);
    case '97':
      return attempt === 1 ? ends('busy', false, false) : answers;
    case '98':
      return attempt <= 2 ? ends('no_answer', true, false) : answers;
    case '99':
      return { ...answers, ends: false };
    default:
      return answers;
  }
}

/** A WAV file (16-bit PCM, mono, 8 kHz) with a tone of 440 Hz, as long as the conversation but at most a second. */
export function toneWav(talkMs: number): Buffer {
  const samples = Math.round(8 * Math.min(Math.max(talkMs, 100), 1_000));
  const wav = Buffer.alloc(44 + 2 * samples);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.set([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0], 16);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(2 * samples, 40);
  for (let n = 0; n < samples; n++) wav.writeInt16LE(Math.round(8_000 * Math.sin(n * 0.3456)), 44 + 2 * n);
  return wav;
}
