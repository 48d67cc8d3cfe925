import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ok } from '@outdial/client';
import { describe, expect, test } from 'vitest';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';

const world = useConsole();

describe.skipIf(!hasChromium)('the other screens', () => {
  test('an agent gets a prompt, and a new version for each change', async () => {
    const page = await world.signedIn('desktop', 'manager');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'New agent' }).waitFor();
    await page.getByLabel('Name').fill('Anna');
    await page
      .getByLabel('Prompt')
      .fill('You are Anna from Acme. Ask {{name}} whether the delivery has arrived.');
    await world.inspect(page, '14-agents');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Anna', level: 1 }).waitFor();
    await page
      .getByLabel('New prompt')
      .fill('You are Anna from Acme. Ask {{name}} politely whether the parcel has arrived.');
    expect(await page.locator('.diff ins').allInnerTexts()).toEqual(expect.arrayContaining(['parcel']));
    expect(await page.locator('.diff del').allInnerTexts()).toEqual(expect.arrayContaining(['delivery']));
    await page.getByLabel('Reason for the change').fill('kinder');
    await page.getByRole('button', { name: 'Save a new version' }).click();
    await page.getByText(': kinder').waitFor();
    await world.inspect(page, '15-agent');
    // Meanwhile, somebody else changes the settings.
    const client = world.client('manager');
    const params = { path: { agent_id: page.url().split('/').at(-1) ?? '' } };
    const config = { voice: 'calm' };
    await ok(client.PUT('/api/v1/agents/{agent_id}', { params, body: { config } }));
    await page.getByLabel('Name', { exact: true }).fill('Berta');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByRole('heading', { name: 'Berta', level: 1 }).waitFor();
    const read = async () => (await ok(client.GET('/api/v1/agents/{agent_id}', { params }))).data;
    expect((await read())?.config).toEqual(config);

    const settings = page.getByLabel('Settings (JSON)');
    expect(JSON.parse(await settings.inputValue())).toEqual(config);
    await settings.fill('{"voice": "loud"}');
    // Meanwhile, somebody else changes the same, and what only the API has.
    const newer = { voice: 'calm', telephony: { from_phone: '+15551230000' } };
    await ok(client.PUT('/api/v1/agents/{agent_id}', { params, body: { config: newer } }));
    const onlyOfApi = { level: 3, mitigation: 'Hang up', harmful_intents: ['fraud'] };
    const body = { prompt: 'You are Berta.', explanation: '', ...onlyOfApi };
    await ok(client.POST('/api/v1/agents/{agent_id}/prompts', { params, body }));
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Somebody has changed the settings meanwhile' })
      .waitFor();
    expect((await read())?.config).toEqual(newer);
    await page.reload();
    await settings.fill(JSON.stringify({ ...newer, voice: 'loud' }));
    await page.getByLabel('New prompt').fill('You are Berta, from Acme.');
    await page.getByRole('button', { name: 'Save a new version' }).click();
    await page.locator('.versions ins', { hasText: 'from Acme' }).waitFor();
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText('Settings saved').waitFor();
    expect(await read()).toMatchObject({
      config: { ...newer, voice: 'loud' },
      latest_prompt: { prompt: 'You are Berta, from Acme.', ...onlyOfApi },
    });
  });

  test('documents are uploaded, searched, and removed', async () => {
    const page = await world.signedIn('phone', 'member');
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByLabel('Name').fill('Product manuals');
    await world.inspect(page, '16-documents');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Product manuals', level: 1 }).waitFor();
    await page.getByText('No document yet').waitFor();
    const buffer = Buffer.from('The warranty of the kettle lasts two years.');
    await page
      .getByLabel('Drop documents here')
      .setInputFiles({ name: 'warranty.txt', mimeType: 'text/plain', buffer });
    await page.getByRole('cell', { name: 'warranty.txt' }).first().waitFor();
    // A file of another type is refused in the drop zone.
    await page.getByLabel('Drop documents here').setInputFiles({
      name: 'picture.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from([0, 1, 2, 3, 255, 254, 0]),
    });
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('A question, as a caller would ask it').fill('How long is the warranty?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText(/No passage in the documents matches this question|warranty\.txt, page 1/).waitFor();
    await world.inspect(page, '17-knowledge-base');
    await page.getByRole('button', { name: 'Remove warranty.txt' }).click();
    await page.getByRole('button', { name: 'Remove the document' }).click();
    await page.getByText('No document yet').waitFor();
    expect(await page.getByRole('cell', { name: 'warranty.txt' }).count()).toBe(0);
  });

  test('the organization: users, keys, webhooks, the list of never, usage, the log', async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;

    const page = await world.signedIn('desktop', 'admin');
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('heading', { name: 'Last 30 days' }).waitFor();
    await world.inspect(page, '18-usage');

    await page.getByRole('link', { name: 'Never call' }).click();
    await page.getByLabel('Number', { exact: true }).fill('+15551230042');
    await page.getByRole('button', { name: 'Never call' }).click();
    await page
      .getByRole('cell', { name: /^\+15551230042/ })
      .first()
      .waitFor();
    await world.inspect(page, '19-suppressions');

    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('shown only once').waitFor();
    const card = page.locator('section', { hasText: `127.0.0.1:${port}` }).last();
    await card.getByRole('button', { name: 'Send a test' }).click();
    await card.getByRole('cell', { name: 'webhook.test' }).waitFor();
    await expect.poll(() => received).toEqual(['/hook']);
    // Without reloading the page.
    await card.getByText('Delivered').waitFor();
    await world.inspect(page, '20-webhooks');

    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByLabel('E-mail').fill(`grace@example.com`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: `grace@example.com`, exact: true }).waitFor();
    // A new user gets a link and signs in with it.
    await page.getByRole('heading', { name: `Invitation for grace@example.com` }).waitFor();
    await world.inspect(page, '21-invitation');
    const guest = await world.newPage('phone');
    await guest.goto(await page.locator('.secret code').innerText());
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await guest.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByLabel(`Role of grace@example.com`).selectOption('viewer');
    await page.getByRole('button', { name: `Disable grace@example.com` }).click();
    await page.getByRole('button', { name: `Enable grace@example.com` }).waitFor();
    await world.inspect(page, '21-users');

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByLabel('Name').fill('CRM');
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('.secret code').innerText()).toMatch(/^od_/);
    await page.getByRole('button', { name: 'Revoke CRM' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('The key was revoked').waitFor();
    const client = world.client('admin');
    for (const name of ['Ends', 'Ended']) {
      await ok(client.POST('/api/v1/api-keys', { body: { name, expires_at: '2099-01-01T12:00:00Z' } }));
    }
    await world.stack.db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0) })
      .where('name', '=', 'Ended')
      .execute();
    await page.reload();
    await page.getByRole('button', { name: 'Revoke Ends' }).waitFor();
    await page.getByRole('cell', { name: /^Good until .* 2099/ }).waitFor();
    await page.getByRole('row', { name: /^Ended .* Expired/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Revoke Ended' }).count()).toBe(0);
    await world.inspect(page, '22-keys');

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'revoke api key' }).first().waitFor();
    await world.inspect(page, '23-audit-log');
    receiver.close();
  });

  test('errors appear at their place, with a way to retry', async () => {
    const page = await world.signedIn('phone', 'viewer');
    let broken = true;
    await page.route('**/api/v1/agents?*', (route) =>
      broken
        ? route.fulfill({ status: 503, json: { detail: 'Not now', code: 'unavailable' } })
        : route.continue(),
    );
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('The service failed. Try again in a moment.').waitFor();
    await world.inspect(page, '24-failed');
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Caller', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.goto('/console/nowhere');
    await page.getByText('This page does not exist.').waitFor();
  });
});
