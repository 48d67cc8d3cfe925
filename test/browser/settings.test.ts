import type { Page } from 'playwright-core';
import { ok } from '@outdial/client';
import { describe, expect, test } from 'vitest';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';

const world = useConsole();

/** A draft campaign. */
async function makeCampaign(name: string, status: 'draft' | 'paused'): Promise<string> {
  const { data } = await ok(
    world.client('admin').POST('/api/v1/campaigns', {
      body: {
        name,
        status,
        agent_id: world.organization.agentId,
        phone_numbers: ['+15551230000', '+15551230001'],
        start_date: '2027-03-01T15:30:00Z',
        start_time: '09:00',
        end_time: '17:00',
        additional_params: { timezone: 'America/New_York' },
      },
    }),
  );
  return data.id;
}

async function read(campaignId: string) {
  const client = world.client('viewer');
  const params = { path: { campaign_id: campaignId } };
  const { data: campaign } = await ok(client.GET('/api/v1/campaigns/{campaign_id}', { params }));
  const { data: config } = await ok(client.GET('/api/v1/campaigns/{campaign_id}/config', { params }));
  return { campaign, config };
}

/** The card with this title. */
function card(page: Page, title: string) {
  return page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) });
}

describe.skipIf(!hasChromium)('settings in the console', () => {
  test('a manager changes a campaign that exists, and nothing that was not touched', async () => {
    const id = await makeCampaign('Autumn', 'paused');
    const before = await read(id);
    const page = await world.signedIn('desktop', 'manager');
    await page.goto(`/console/campaigns/${id}`);
    await page.getByRole('link', { name: 'Settings' }).click();
    const schedule = card(page, 'Name and schedule');
    await schedule.getByLabel('Name').fill('Winter');
    await schedule.getByLabel('To', { exact: true }).fill('18:30');
    // An hour before the first day: the service reports the error at the field, and changes nothing.
    await schedule.getByLabel('Last day').fill('2027-02-01');
    await schedule.getByRole('button', { name: 'Save' }).click();
    await schedule.locator('[aria-invalid]').waitFor();
    const described = await schedule.getByLabel('Last day').getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described?.split(' ')[0]}"]`).innerText()).toMatch(
      /^End date should be after start date/,
    );
    await world.inspect(page, '25-campaign-settings-fault');
    expect((await read(id)).campaign?.name).toBe('Autumn');
    await schedule.getByLabel('Last day').fill('2027-03-31');
    await schedule.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Winter', level: 1 }).waitFor();

    const pace = card(page, 'Call-backs and pace');
    await pace.getByLabel('Call back', { exact: true }).selectOption('Up to 3 times');
    await pace.getByLabel('Calls per second').fill('-1');
    await pace.getByRole('button', { name: 'Save' }).click();
    await pace.locator('[aria-invalid]').waitFor();
    expect(await pace.getByLabel('Calls per second').getAttribute('aria-invalid')).toBe('true');
    await pace.getByLabel('Calls per second').fill('2.5');
    await pace.getByLabel('Call on Saturdays and Sundays').check();
    await pace.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await read(id)).config?.calls_per_second).toBe(2.5);
    await world.inspect(page, '26-campaign-settings');
    // Chromium keeps the text, and says that the value is empty.
    await pace.getByLabel('Calls per second').fill('');
    await pace.getByLabel('Calls per second').pressSequentially('3-4');
    await pace.getByLabel('Calls per person').fill('5');
    await pace.getByRole('button', { name: 'Save' }).click();
    await pace.getByLabel('Calls per second').and(page.locator(':focus')).waitFor();
    await pace.getByLabel('Calls per second').fill('2.5');
    await pace.getByLabel('Calls per person').fill('');

    const after = await read(id);
    expect(after.campaign).toEqual({
      ...before.campaign,
      name: 'Winter',
      end_time: '18:30',
      end_date: after.campaign?.end_date,
    });
    expect(after.campaign?.end_date).toMatch(/^2027-04-01T03:59:59/);
    expect(after.config).toEqual({
      ...before.config,
      call_back_attempts: 3,
      calls_per_second: 2.5,
      call_on_weekend: true,
    });
  });

  test('a campaign that has not started shows whom it will leave out', async () => {
    const id = await makeCampaign('Before', 'draft');
    const page = await world.signedIn('desktop', 'manager');
    await page.goto(`/console/campaigns/${id}`);
    await page.getByRole('heading', { name: 'Who will not be called' }).waitFor();
    expect(await page.getByText('Everyone can be called').count()).toBe(1);
    const params = { path: { campaign_id: id } };
    await ok(
      world.client('admin').PUT('/api/v1/campaigns/{campaign_id}/config', {
        params,
        body: { require_consent: true },
      }),
    );
    await page.reload();
    const leftOut = card(page, 'Who will not be called');
    await leftOut.getByText('Without the consent that a rule or the campaign asks for').waitFor();
    expect(await leftOut.getByText('2', { exact: true }).count()).toBe(1);
  });

  test('the hours of a running campaign change only when it is paused, its pace at once; other roles may only read', async () => {
    const id = await makeCampaign('Runs', 'draft');
    const page = await world.signedIn('desktop', 'manager');
    await page.goto(`/console/campaigns/${id}/settings`);
    // A draft becomes a paused campaign.
    await card(page, 'Name and schedule').getByLabel('Name').fill('Runs on');
    await card(page, 'Name and schedule').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Runs on', level: 1 }).waitFor();
    expect((await read(id)).campaign?.status).toBe('paused');
    const params = { path: { campaign_id: id } };
    const manager = world.client('manager');
    await ok(manager.PUT('/api/v1/campaigns/{campaign_id}', { params, body: { start_date: '2028-03-01' } }));
    await ok(manager.PUT('/api/v1/campaigns/{campaign_id}/status', { params, body: { status: 'running' } }));
    await page.reload();
    await page.getByText('Pause the campaign to change its name').waitFor();
    expect(await card(page, 'Name and schedule').getByLabel('Last day').isDisabled()).toBe(true);
    await page.getByLabel('Concurrent calls').fill('7');
    await card(page, 'Call-backs and pace').getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await read(id)).config?.max_concurrent_calls).toBe(7);

    const viewer = await world.signedIn('desktop', 'viewer');
    await viewer.goto(`/console/campaigns/${id}/settings`);
    await viewer.getByLabel('Concurrent calls').waitFor();
    expect(await viewer.getByLabel('Concurrent calls').inputValue()).toBe('7');
    expect(await viewer.getByLabel('Concurrent calls').isDisabled()).toBe(true);
    expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('an admin changes the organization, and confirms deletions', async () => {
    const organization = async () => (await ok(world.client('viewer').GET('/api/v1/organization'))).data;
    const days = 400;
    const page = await world.signedIn('phone', 'admin');
    await page.goto('/console/organization/settings');
    await page.getByLabel('Name').fill('Acme Ltd');
    await page.getByLabel('Time zone').fill('BST');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[aria-invalid]').waitFor();
    expect(await page.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
    await world.inspect(page, '27-organization-settings-fault');
    await page.getByLabel('Time zone').fill('Europe/Lisbon');
    await page.getByLabel('Recordings').fill(String(days));
    // Meanwhile, another admin changes what this one does not.
    await ok(
      world.client('admin').PUT('/api/v1/organization', { body: { retention: { transcripts_days: 30 } } }),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
    expect((await organization())?.retention.recordings_days).not.toBe(days);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save and delete' }).click();
    await page.getByRole('heading', { name: 'Acme Ltd', level: 1 }).waitFor();
    await page.getByText('Times are those of Europe/Lisbon').waitFor();
    expect(await organization()).toMatchObject({
      name: 'Acme Ltd',
      timezone: 'Europe/Lisbon',
      calling_policy: 'none',
      retention: { recordings_days: days, transcripts_days: 30 },
    });
    await world.inspect(page, '28-organization-settings');

    const manager = await world.signedIn('phone', 'manager');
    await manager.goto('/console/organization/settings');
    await manager.getByLabel('Time zone').waitFor();
    expect(await manager.getByLabel('Time zone').isDisabled()).toBe(true);
    expect(await manager.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });
});
