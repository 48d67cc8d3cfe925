import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateToLatest } from '@outdial/db';
import { startPostgresServer } from '../../../chaos/stack/postgres-server.ts';
import { findAsterisk } from '../../asterisk/find-asterisk.ts';
import { cacheFolder } from '../../debian/unpack-packages.ts';
import { findSpeech } from '../find-speech.ts';
import { talkOverTrunk, type TalkOverTrunk } from './talk-over-trunk.ts';

const recordingPath = join(cacheFolder, 'demo-voice.wav');

/** `npm run demo:voice`: an agent talks with a simulated person over two real Asterisks, and saves a recording. */
async function main(): Promise<boolean> {
  console.log(
    'An agent calls a simulated person over a real Asterisk, and talks. Nothing leaves this machine.',
  );
  if (process.getuid?.() !== 0) {
    console.error(
      'It needs root, because Asterisk runs in a separate Debian by chroot: sudo npm run demo:voice',
    );
    return false;
  }
  say(
    'Downloading Asterisk, flite, espeak-ng and pocketsphinx: some minutes the first time, cached in .cache',
  );
  const [speech, asterisk] = [await findSpeech(), await findAsterisk()];
  const reasons = [speech, asterisk].flatMap((found) => (found.state === 'missing' ? [found.reason] : []));
  if (speech.state === 'missing' || asterisk.state === 'missing') {
    console.error(`This machine cannot run the demo:\n  ${reasons.join('\n  ')}`);
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'outdial-demo-'));
  const postgres = await startPostgresServer(folder);
  try {
    const { databaseUrl } = postgres;
    await migrateToLatest({ databaseUrl });
    return report(
      await talkOverTrunk({ system: asterisk.program, speech: speech.program, databaseUrl, say }),
    );
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(what: string): void {
  console.log(`· ${what}`);
}

function report({ record, recording, instants, pickedUpAt, lastVoiceAt }: TalkOverTrunk): boolean {
  const transcript = record.transcript ?? '';
  console.log(`\n${transcript}\n`);
  const figure = (what: string, ms: number) =>
    console.log(`  ${what.padEnd(48)}${ms.toFixed(0).padStart(6)} ms`);
  console.log('As the person heard it:');
  figure('first word after the answer', instants.firstWordAt - pickedUpAt);
  figure('from the end of the question to the answer', instants.answeredAt - instants.askedAt);
  figure('from the interruption to silence', instants.silentFrom - instants.interruptedAt);
  figure('from the last word to the end of the call', instants.leftAt - lastVoiceAt);
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(recordingPath, recording);
  console.log(`\nThe recording, with the person on the left and the agent on the right: ${recordingPath}`);
  const faults = [
    ...(transcript.includes('three weeks')
      ? []
      : ['the agent did not give the answer from its knowledge base']),
    ...(transcript.includes('(interrupted)') ? [] : ['the agent was not interrupted']),
    ...(transcript.includes('two euros') ? [] : ['the agent did not answer the second question']),
  ];
  for (const fault of faults) console.error(`Failed: ${fault}.`);
  return faults.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
