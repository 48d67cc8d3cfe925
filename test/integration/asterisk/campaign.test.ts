import { describe, expect, onTestFinished, test } from 'vitest';
import { runTrunkCampaign } from '../../support/asterisk/trunk-campaign.ts';
import { differences } from '../../support/asterisk/trunk-differences.ts';
import { linesAtOnce } from '../../support/asterisk/trunk-recipients.ts';
import { trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import { createTestDatabase } from '../../support/database.ts';
import { isFullRun } from '../../support/full-run.ts';

const trunk = await trunkForTests();

describe.skipIf(trunk.isMissing || !isFullRun)('a campaign over a SIP trunk', () => {
  test('calls 200 people, 50 at once, and records what the carrier saw', { timeout: 240_000 }, async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const campaign = await runTrunkCampaign({
      programs: trunk.programs(),
      databaseUrl: database.databaseUrl,
    });
    expect(differences(campaign)).toEqual([]);
    expect(campaign.mostAtOnce).toBe(linesAtOnce);
    expect([...campaign.errors]).toEqual([]);
    expect(new Set(campaign.records.map((record) => record.outcome))).toEqual(
      new Set(['completed', 'no_answer', 'busy', 'rejected', 'voicemail', 'failed', 'invalid_number']),
    );
  });
});
