import { createOutdialClient } from '@outdial/client';
import { callSpreadsheet, type Report } from '@outdial/spreadsheet-campaign';
import { expect, test } from 'vitest';
import { workbook } from '../../packages/sheets/src/workbook.fixture.ts';
import { outboxFaults } from '../support/outbox-faults.ts';
import { runService, type RunningService } from './fleet-of-service.ts';

/** `ACCEPTANCE_RECIPIENTS=10000 npx vitest run --project e2e test/acceptance` is the long form. */
const people = Number(process.env['ACCEPTANCE_RECIPIENTS'] ?? 200);
const isLong = people > 1_000;

/** Of every hundred people, some are busy, some never answer, and some answer only the third call. */
function numberOf(index: number): string {
  return `+15552${String(index).padStart(6, '0')}`;
}

const numbers = Array.from({ length: people }, (_, index) => numberOf(index));
const withEnd = (digits: string) => numbers.filter((number) => number.endsWith(digits));

test(
  'a program written from the documents calls a spreadsheet, and its webhooks agree with the database',
  { timeout: isLong ? 1_800_000 : 300_000 },
  async () => {
    const service = await runService();
    const { organization, baseUrl, fleet } = service;
    const client = createOutdialClient({ baseUrl, apiKey: organization.apiKeys.admin });
    // The last person, who is not called before the withdrawal.
    const stopPerson = numbers.at(-1) ?? '';
    const [stopCallOf = '', ...neverEnding] = withEnd('99').filter((number) => number !== stopPerson);
    const spreadsheet = workbook([
      ['Telefon', 'Vorname', 'topic', 'timezone'],
      ...numbers
        .filter((number) => !neverEnding.includes(number))
        .map((number, index) => [number, `Ada ${index}`, 'the news', '']),
      ['', 'Nobody', 'the news', ''],
      ['+1 555', 'Short', 'the news', ''],
      ['tomorrow', 'Text', 'the news', ''],
      [numbers[0] ?? '', 'Twice', 'the news', ''],
      ['+15550009900', 'Lost', 'the news', 'EST'],
    ]);
    let heard = 0;
    const report = await callSpreadsheet(client, {
      agentId: organization.agentId,
      file: new Blob([new Uint8Array(spreadsheet)]),
      fileName: 'people.xlsx',
      mapping: { Telefon: 'phone_number', Vorname: 'name' },
      config: {
        call_on_weekend: true,
        max_concurrent_calls: isLong ? 300 : 40,
        call_back_attempts: 1,
        retry_delay_seconds: 1,
      },
      stopPerson,
      stopCallOf,
      retry: ['no_answer', 'busy'],
      onEvent() {
        heard += 1;
        // At this point the worker holds claims, calls and webhooks. It is killed without warning.
        if (heard === people) void fleet.kill('worker-1').then(() => fleet.start('worker-1'));
      },
    });

    expect(report.refused.map(({ column, reason }) => [column, reason])).toEqual([
      ['Telefon', 'has no phone number'],
      ['Telefon', expect.stringContaining('too short')],
      ['Telefon', expect.stringContaining('an invalid phone number')],
      ['Telefon', 'repeats the phone number of line 2'],
      ['timezone', expect.stringContaining('an unknown time zone')],
    ]);
    expect(report.heard.statuses).toEqual([
      'campaign.started',
      'campaign.finished',
      'campaign.paused',
      'campaign.started',
      'campaign.finished',
    ]);
    expect(report.heard.people.get(stopPerson)).toMatchObject({ reason: 'withdrawn', attempts: 0 });
    expect(report.heard.people.get(stopCallOf)).toMatchObject({ outcome: 'completed', attempts: 1 });
    for (const number of withEnd('98')) {
      expect(report.heard.people.get(number)).toMatchObject({ outcome: 'completed', attempts: 3 });
    }
    for (const number of withEnd('92')) {
      expect(report.heard.people.get(number)).toMatchObject({ outcome: 'no_answer', attempts: 4 });
    }
    expect(report.retried).toBe(withEnd('91').length + withEnd('92').length + withEnd('98').length);
    expect(fleet.starts.get('worker-1')).toBe(2);
    await expectTheSame(service, report);
  },
);

/** Expects the webhooks, the exports and the tables to agree. */
async function expectTheSame({ db }: RunningService, report: Report): Promise<void> {
  const callsInDatabase = await db.selectFrom('calls').select(['id', 'outcome']).execute();
  const calls = Object.fromEntries(callsInDatabase.map(({ id, outcome }) => [id, outcome]));
  expect(Object.fromEntries(report.heard.calls)).toEqual(calls);

  const recipients = await db
    .selectFrom('campaign_recipients')
    .select(['phone_number', 'last_outcome', 'attempts'])
    .where('campaign_id', '=', report.campaignId)
    .execute();
  const inDatabase = Object.fromEntries(
    recipients.map((row) => [row.phone_number, { outcome: row.last_outcome, attempts: row.attempts }]),
  );
  const heard = [...report.heard.people].map(([number, { outcome, attempts }]) => [
    number,
    { outcome, attempts },
  ]);
  expect(Object.fromEntries(heard)).toEqual(inDatabase);

  expect(byKey(report.calls, 'id', (row) => outcomeOf(row['meta']))).toEqual(calls);
  expect(
    byKey(report.recipients, 'phone_number', (row) => ({
      outcome: row['last_outcome'],
      attempts: row['attempts'],
    })),
  ).toEqual(inDatabase);
  expect(await outboxFaults(db)).toEqual([]);
}

function byKey(ndjson: string, key: string, read: (row: Record<string, unknown>) => unknown): object {
  const rows = ndjson.trim().split('\n').map(parseRow);
  return Object.fromEntries(rows.map((row) => [String(row[key]), read(row)]));
}

function parseRow(line: string): Record<string, unknown> {
  const row: unknown = JSON.parse(line);
  if (typeof row !== 'object' || row === null) throw new Error('a row is an object');
  return { ...row };
}

function outcomeOf(meta: unknown): unknown {
  return typeof meta === 'object' && meta !== null && 'outcome' in meta ? meta.outcome : null;
}
