import { describe, expect, test } from 'vitest';
import { hasChromium, type Size, useConsole } from '../support/browser/use-console.ts';

const world = useConsole();
const widths: Size[] = ['desktop', 'phone'];

describe.skipIf(!hasChromium)('sign in and campaigns', () => {
  test.each(widths)('a key signs in, is not kept, and sign-out ends the session (%s)', async (size) => {
    const page = await world.newPage(size);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in to Outdial' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console');
    await world.inspect(page, '01-sign-in');

    await page.getByLabel('API key').fill('od_this-is-not-a-key-of-anybody');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toBe('The API key is not valid.');

    await page.getByLabel('API key').fill(world.organization.apiKeys.manager);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await world.inspect(page, '02-campaigns-empty');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Outdial' }).waitFor();
    expect(await page.evaluate(`fetch('/api/v1/campaigns').then((answer) => answer.status)`)).toBe(401);
    await page.context().close();
  });
});
