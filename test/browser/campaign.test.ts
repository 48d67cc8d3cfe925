import { readFileSync } from 'node:fs';
import { ok } from '@outdial/client';
import { updateOrganization } from '@outdial/db';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbook } from '../../packages/sheets/src/workbook.fixture.ts';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';

const world = useConsole({ startAt: '2027-03-01T11:00:00-05:00', simulator: { ringMs: 100, talkMs: 2_000 } });

const names = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan', 'Katherine', 'Donald', 'Radia'];
const zones = ['America/New_York', 'America/Chicago', 'America/Los_Angeles', ''];

/** 200 people, two of whose calls never end on their own, and three rows that cannot be called. */
function people(): string[][] {
  const first = 15_551_230_000;
  const good = Array.from({ length: 200 }, (_, at) => [
    names[at % names.length] ?? '',
    `+${first + at}`,
    'New York,Chicago,Denver,Boston'.split(',')[at % 4] ?? '',
    at % 40 === 7 ? '' : 'your appointment',
    zones[at % 2] ?? '',
  ]);
  return [
    ['Name', 'Mobile', 'City', 'Topic', 'Timezone'],
    ...good.slice(0, 20),
    ['Nobody', 'no number', 'Rome', 'x', ''],
    ['Short', '+1555', 'Rome', 'x', ''],
    ...good.slice(20),
    ['Twice', `+${first}`, 'Rome', 'x', ''],
  ];
}

async function downloaded(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFileSync(await download.path(), 'utf8');
}

async function limitRecipients(maxRecipients: number | null): Promise<void> {
  const { db, clock } = world.stack;
  await updateOrganization(db, world.organization.id, { max_recipients: maxRecipients }, await clock.now());
}

describe.skipIf(!hasChromium)('a person who only has a browser', () => {
  test('runs a campaign of 200 from a spreadsheet to the export on a phone', async () => {
    const page = await world.signedIn('phone', 'manager');
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    await page.getByRole('heading', { name: 'New campaign' }).waitFor();
    await world.inspect(page, '03-new-campaign-empty');

    await page.getByLabel('Drop a spreadsheet here').setInputFiles({
      name: 'spring_reminders.xlsx',
      mimeType: 'application/octet-stream',
      buffer: workbook(people()),
    });
    await page.getByText('200 people can be called').waitFor();
    expect(await page.getByText('3 rows are skipped').count()).toBe(1);
    expect(await page.getByRole('cell', { name: 'has a phone number that is too short' }).count()).toBe(1);
    const refused = await downloaded(page, () =>
      page.getByRole('button', { name: 'Download the skipped rows' }).click(),
    );
    expect(refused.split('\r\n')).toEqual([
      '\uFEFFline,reason,Name,Mobile,City,Topic,Timezone',
      '22,The row has an invalid phone number; write it like +15550100123,Nobody,no number,Rome,x,',
      '23,The row has a phone number that is too short,Short,+1555,Rome,x,',
      expect.stringMatching(/^204,The row repeats the phone number of line 2,Twice,/),
    ]);

    // The only agent is preselected, and its prompt is shown with the values of the rows.
    await page.getByText('Row 1 of 203').waitFor();
    expect(await page.locator('.prompt-text').innerText()).toBe('Call Ada about your appointment.');
    expect(await page.getByText('topic is missing in 5 rows').count()).toBe(1);
    for (let row = 1; row < 8; row++) await page.getByRole('button', { name: 'Next row' }).click();
    expect(await page.locator('.prompt-text').innerText()).toBe('Call Radia about topic is missing.');

    await page.getByLabel('Call me first').fill('+15551290000');
    await page.getByRole('button', { name: 'Call me', exact: true }).click();
    await page.getByText('Ended: Reached').waitFor();

    await page.getByLabel('Call back', { exact: true }).selectOption('Once');
    await page.getByLabel('After how many minutes').fill('0');
    await page.getByLabel('Concurrent calls').fill('25');
    expect(await page.getByLabel('Name of the campaign').inputValue()).toBe('Spring reminders');
    await world.inspect(page, '04-new-campaign');
    await page.getByRole('button', { name: 'Start calling 200 people' }).click();

    await page.getByRole('heading', { name: 'Spring reminders', level: 1 }).waitFor();
    await page.getByRole('table').getByText('Talking').first().waitFor();
    await world.inspect(page, '05-live');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused with').waitFor();
    await world.inspect(page, '06-paused');
    await page.getByRole('button', { name: 'Resume' }).click();

    // The calls that never end.
    const ends = people().flatMap(([, number]) => (number?.endsWith('99') === true ? [number] : []));
    for (const number of ends) {
      await page.getByRole('button', { name: `Hang up ${number}` }).click();
    }
    await page.getByText('Finished', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Results' }).click();
    await page.getByText('Calls by attempt').waitFor({ state: 'attached' });
    await page.getByRole('heading', { name: 'Refused before a call' }).waitFor();
    await world.inspect(page, '07-results');
    const table = await downloaded(page, () => page.getByRole('link', { name: 'People, CSV' }).click());
    const lines = table.trim().split(/\r?\n/);
    expect(lines).toHaveLength(201);
    expect(
      lines.filter((line) => line.includes('reached,') && !line.includes('unreached,')).length,
    ).toBeGreaterThan(180);

    await page.getByRole('link', { name: 'People', exact: true }).last().click();
    await page.getByLabel('State').selectOption('Not reached');
    await page.getByRole('cell', { name: 'Busy' }).first().waitFor();
    await page
      .getByRole('button', { name: /^Why \+\d+ is not called$/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('The campaign is running.').waitFor();
    await world.inspect(page, '08-why-not-called');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await world.inspect(page, '08-campaign-people');

    await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click();
    await page
      .getByText(/Reached \d+ people of 200/)
      .first()
      .waitFor();
    await world.inspect(page, '09-campaigns');
  });

  test('plays a call, follows its transcript, and adds notes', async () => {
    const page = await world.signedIn('desktop', 'member');
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByText('Recent calls').waitFor();
    await world.inspect(page, '10-people');
    await page.getByLabel('Find a number').fill('+1 555 129 0000');

    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('table').getByRole('link').first().click();

    const wave = page.getByRole('slider', { name: 'Position in the recording' });
    await wave.waitFor();
    await page.getByRole('button', { name: 'Play the recording' }).click();
    // The transcript line that is being played is marked.
    await page.locator('.transcript li.current').first().waitFor();
    await page.locator('.transcript li:last-child.current').waitFor();
    await wave.focus();
    await page.keyboard.press('Home');
    expect(await wave.getAttribute('aria-valuenow')).toBe('0');

    await page.getByLabel('Tags').fill('callback, billing');
    await page.getByLabel('Quality').selectOption('4 of 5');
    await page.getByLabel('Comment').fill('Friendly, and to the point.');
    await page.getByRole('button', { name: 'Save the notes' }).click();
    await page.getByText('Notes saved').waitFor();
    // The receipt, in words.
    await page.getByRole('heading', { name: 'Why it was called' }).waitFor();
    await page.getByText('What was checked and held').click();
    await page.getByText('The number is not on the suppression list.').waitFor();
    await world.inspect(page, '11-call');
    await page.reload();
    expect(await page.getByLabel('Tags').inputValue()).toBe('billing, callback');
    // Meanwhile, somebody else rates the call.
    const client = world.client('member');
    const params = { path: { call_id: page.url().split('/').at(-1) ?? '' } };
    await ok(client.PUT('/api/v1/calls/{call_id}', { params, body: { quality: 2 } }));
    await page.getByLabel('Comment').fill('Friendly.');
    await page.getByRole('button', { name: 'Save the notes' }).click();
    await page.getByText('Notes saved').waitFor();
    expect((await ok(client.GET('/api/v1/calls/{call_id}', { params }))).data).toMatchObject({
      comments: 'Friendly.',
      quality: 2,
    });

    await page.getByRole('link', { name: 'All calls to this number' }).click();
    await page.getByRole('button', { name: 'Never call again' }).click();
    await world.inspect(page, '12-never-call-again');
    await page.getByRole('dialog').getByRole('button', { name: 'Never call again' }).click();
    await page.getByRole('heading', { name: 'Never called' }).waitFor();
    // A member may add to the list, but not remove from it.
    expect(await page.getByRole('button', { name: 'Allow calls again' }).count()).toBe(0);
    await world.inspect(page, '13-person');
  });

  test('hides actions that a role may not take, which the service also refuses', async () => {
    const page = await world.signedIn('desktop', 'viewer');
    expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0);
    await page.getByText('Spring reminders').first().click();
    await page.getByRole('heading', { name: 'Spring reminders', level: 1 }).waitFor();
    for (const name of ['Pause', 'Resume', 'Cancel', 'Delete']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await page.goto('/console/campaigns/new');
    await page.getByText('Your role cannot create campaigns').waitFor();
  });

  test('sees the list checked once an agent is chosen and after each change, with the reason for a refusal', async () => {
    await ok(
      world.client('admin').POST('/api/v1/agents', { body: { name: 'Second', prompt: 'Call {{name}}.' } }),
    );
    const page = await world.signedIn('desktop', 'member');
    let checks = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/campaigns/import')) checks++;
    });
    await page.clock.install();
    await page.goto('/console/campaigns/new');
    await page.getByLabel('Drop a spreadsheet here').setInputFiles({
      name: 'spring_reminders.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        people()
          .map((row) => row.join(','))
          .join('\n'),
      ),
    });
    await page.getByText('The rows are checked once you have chosen an agent.').waitFor();
    await page.clock.fastForward(10_000);
    await page.getByLabel('Agent').selectOption('Second');
    await page.getByText('200 people can be called').waitFor();
    // One reads the file, and one checks its rows.
    expect(checks).toBe(2);

    await page.getByRole('textbox', { name: 'First day' }).fill('2027-04-01');
    await page.getByRole('textbox', { name: 'Last day' }).fill('2027-03-31');
    await page.getByRole('alert').waitFor();
    expect(await page.getByText('200 people can be called').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Last day' }).fill('2027-04-30');
    await page.getByText('200 people can be called').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);

    // The organization has no capacity for these people. The screen says so before they are saved.
    await limitRecipients(150);
    await page.getByRole('textbox', { name: 'Last day' }).fill('2027-05-31');
    const refusal = page
      .getByRole('alert')
      .filter({ hasText: 'All 200 people on the list would be rejected' });
    await refusal.getByText(/can have 150 recipients in its campaigns/).waitFor();
    expect(await page.getByText('200 people can be called').count()).toBe(0);
    await limitRecipients(null);
    await page.getByRole('textbox', { name: 'Last day' }).fill('2027-06-30');
    await page.getByText('200 people can be called').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
