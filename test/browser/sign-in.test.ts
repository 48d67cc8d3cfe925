import { createSignInLink, inTransaction } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';

const world = useConsole();

describe.skipIf(!hasChromium)('sign in and campaigns', () => {
  test('a key signs in, is not stored, and sign-out ends the session', async () => {
    const page = await world.newPage('desktop');
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in to Outdial' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console');
    await world.inspect(page, '01-sign-in');

    await page.getByLabel('API key').fill('od_this-is-not-a-key-of-anybody');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toBe('The API key is invalid.');

    await page.getByLabel('API key').fill(world.organization.apiKeys.manager);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await world.inspect(page, '02-campaigns-empty');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Outdial' }).waitFor();
    expect(await page.evaluate(`fetch('/api/v1/campaigns').then((answer) => answer.status)`)).toBe(401);
  });

  /** A link for the viewer. */
  function makeLink(): Promise<string> {
    const { organization, stack } = world;
    const now = new Date();
    return inTransaction(stack.db, (tx) =>
      createSignInLink(tx, {
        organizationId: organization.id,
        userId: organization.users.viewer.id,
        madeBy: null,
        now,
        expiresAt: new Date(now.getTime() + 600_000),
      }),
    );
  }

  test('a link signs in once, and shows no server its token', async () => {
    const link = await makeLink();
    const asked: string[] = [];
    const page = await world.newPage('phone');
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`/console/sign-in#link=${link}`);
    await page.getByText('This link signs you in once.').waitFor();
    // Opening the link, as mail scanners do, does not use it up.
    await page.goto(`/console/sign-in#link=${link}`);
    await page.reload();
    await page.goto(`/console/sign-in?again#link=${link}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(asked.filter((url) => url.includes(link))).toEqual([]);
    expect(page.url()).not.toContain(link);

    const other = await world.newPage('phone');
    await other.goto(`/console/sign-in#link=${link}`);
    await other.getByRole('button', { name: 'Sign in' }).click();
    expect(await other.getByRole('alert').innerText()).toContain('has been used, has expired or was revoked');
    // There are other ways.
    await other.getByLabel('API key').fill(world.organization.apiKeys.manager);
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });

  test('a link signs in a browser that is signed in, instead of the user before', async () => {
    const link = await makeLink();
    const page = await world.signedIn('desktop', 'manager');
    await page.goto(`/console/sign-in#link=${link}`);
    await page.getByText('You are signed in as').waitFor();
    await world.inspect(page, '01-sign-in-again');
    await page.getByRole('link', { name: 'Stay signed in' }).click();
    await page.getByText('manager', { exact: true }).waitFor();
    await page.goto(`/console/sign-in#link=${link}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('viewer', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/campaigns');
    await page.goto('/console/sign-in?refused=no_user');
    await page.getByRole('alert').filter({ hasText: 'No user has this email address.' }).waitFor();
  });

  test('a person of several organizations chooses one, and signs in again if the choice has expired', async () => {
    const page = await world.newPage('phone');
    let items = [{ id: 'f8b0d6a4-7a52-4bb0-8d5c-0e8f3f0f9a11', name: 'Acme' }];
    await page.route('**/console/session/oidc/organizations', (route) =>
      route.fulfill({ json: { data: { items, token: 'of-this-choice' } } }),
    );
    await page.goto('/console/sign-in?refused=several_users');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('Choose one:');
    items = [];
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Sign in again.' }).waitFor();
  });

  test('the keyboard suffices, and an ended session asks to sign in again', async () => {
    const page = await world.newPage('desktop');
    await page.goto('/console');
    await page.getByLabel('API key').focus();
    await page.keyboard.type(world.organization.apiKeys.manager);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('screen');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New campaign' }).waitFor();

    await world.stack.db.deleteFrom('console_sessions').execute();
    // Whatever the page asks next is refused. If it asks before the click, the link has gone.
    const link = page.getByRole('link', { name: 'Campaigns', exact: true }).first();
    await link.click({ timeout: 1_000 }).catch(() => undefined);
    await page.getByText('You were signed out.').waitFor();
  });
});
