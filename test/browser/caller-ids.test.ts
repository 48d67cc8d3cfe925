import { ok } from '@outdial/client';
import { setDisclosure, setRecordingRule } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { confirmNumber } from '../support/confirmed-caller-id.ts';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';

const world = useConsole();

async function callerIds() {
  const { data } = await ok(world.client('viewer').GET('/api/v1/caller-ids', { params: { query: {} } }));
  return data.items.map(({ phone_number: number, state, calls_per_day: perDay }) => ({
    number,
    state,
    perDay,
  }));
}

describe.skipIf(!hasChromium)('numbers and words that calls begin with', () => {
  test('a manager adds a caller id, rests it, and retires it permanently', async () => {
    const number = '+12125550101';
    const page = await world.signedIn('desktop', 'manager');
    await page.goto('/console/organization/caller-ids');
    await page.getByLabel('Number', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('[aria-invalid]').waitFor();
    expect(await page.getByLabel('Number', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await world.inspect(page, '29-caller-ids-fault');
    await page.getByLabel('Number', { exact: true }).fill(number);
    await page.getByLabel('Calls per day').fill('40');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: number, exact: true }).waitFor();
    expect(await callerIds()).toContainEqual({ number, state: 'pending', perDay: 40 });
    await page.getByText('Not confirmed').first().waitFor();
    await confirmNumber(world.stack.db, { organizationId: world.organization.id, phoneNumber: number });
    await page.reload();
    await page.getByRole('button', { name: `Rest ${number}` }).waitFor();
    expect(await callerIds()).toContainEqual({ number, state: 'active', perDay: 40 });

    // By keyboard alone.
    await page.getByRole('button', { name: `Rest ${number}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Call again from ${number}` }).waitFor();
    expect(await callerIds()).toContainEqual({ number, state: 'resting', perDay: 40 });
    await world.inspect(page, '30-caller-ids');
    await page.getByRole('button', { name: `Retire ${number}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await callerIds()).toContainEqual({ number, state: 'resting', perDay: 40 });
    await page.getByRole('button', { name: `Retire ${number}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('button', { name: `Retire ${number}` }).waitFor({ state: 'detached' });
    expect(await callerIds()).toContainEqual({ number, state: 'retired', perDay: 40 });

    const viewer = await world.signedIn('desktop', 'viewer');
    await viewer.goto('/console/organization/caller-ids');
    await viewer.getByRole('cell', { name: number, exact: true }).waitFor();
    expect(await viewer.getByRole('button', { name: new RegExp(`${number.slice(1)}|Add`) }).count()).toBe(0);
  });

  test('every role can read the disclosures and recording rules', async () => {
    const page = await world.signedIn('phone', 'viewer');
    await world.stack.db.deleteFrom('disclosures').execute();
    await page.goto('/console/organization/disclosures');
    await page.getByText('No texts of your own').waitFor();
    const { db } = world.stack;
    const { id } = world.organization;
    const text = 'This is {{agent}}, an artificial voice, calling for {{organization}}.';
    await setDisclosure(db, id, { jurisdiction: 'US-FL', language: 'en', text });
    await setRecordingRule(db, id, { jurisdiction: '*', mode: 'announced' });
    await page.reload();
    await page.getByRole('cell', { name: text }).waitFor();
    const rows = page.getByRole('row', { name: 'Everywhere Only after it is announced' });
    await expect.poll(() => rows.count()).toBe(1);
    await world.inspect(page, '31-disclosures');
  });
});
