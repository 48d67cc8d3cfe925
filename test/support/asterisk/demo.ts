import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateToLatest } from '@outdial/db';
import { startPostgresServer } from '../../chaos/stack/postgres-server.ts';
import { runTrunkCampaign, type TrunkCampaign } from './trunk-campaign.ts';
import { differences } from './trunk-differences.ts';
import { findTrunkPrograms } from './trunk-programs.ts';

/** `npm run demo:asterisk`: starts an Asterisk and a carrier, calls 200 people over them, and prints the results. */
async function main(): Promise<boolean> {
  console.log(
    'A campaign of 200 calls over a real Asterisk, to a carrier that sipp simulates. Nothing leaves this machine.',
  );
  if (process.getuid?.() !== 0) {
    console.error(
      'It needs root, because Asterisk runs in a separate Debian by chroot: sudo npm run demo:asterisk',
    );
    return false;
  }
  say('Downloading Asterisk and sipp: half a gigabyte and some minutes the first time, cached in .cache');
  const found = await findTrunkPrograms();
  if (found.state === 'missing') {
    console.error(`This machine cannot run the demo: ${found.reason}.`);
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'outdial-demo-'));
  const postgres = await startPostgresServer(folder);
  try {
    const { databaseUrl } = postgres;
    await migrateToLatest({ databaseUrl });
    const campaign = await runTrunkCampaign({ programs: found.programs, databaseUrl, say });
    return report(campaign);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(what: string): void {
  console.log(`· ${what}`);
}

function report(campaign: TrunkCampaign): boolean {
  const { records, carrier, seconds, mostAtOnce } = campaign;
  const outcomes = Map.groupBy(records, (record) => record.outcome ?? 'none');
  const recordings = records.flatMap(({ recording }) => (recording ? [recording] : []));
  const audible = recordings.filter(({ peak }) => peak >= 1_000);
  const minutes = recordings.reduce((sum, recording) => sum + recording.seconds, 0) / 60;
  console.log(
    `\n${carrier.invited.length} calls in ${seconds.toFixed(0)} s, at most ${mostAtOnce} at once\n`,
  );
  for (const [outcome, ofIt] of [...outcomes].toSorted(([, a], [, b]) => b.length - a.length)) {
    console.log(`  ${outcome.padEnd(16)}${String(ofIt.length).padStart(4)}`);
  }
  console.log(
    `\n${recordings.length} recordings, ${minutes.toFixed(1)} minutes, ${audible.length} with sound`,
  );
  const faults = differences(campaign);
  console.log(
    faults.length === 0
      ? 'Every record agrees with what the carrier saw.'
      : `The records differ from what the carrier saw:\n  ${faults.join('\n  ')}`,
  );
  return faults.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
