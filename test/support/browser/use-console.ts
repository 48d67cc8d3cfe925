import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFailed } from 'vitest';
import { cacheFolder } from '../debian/unpack-packages.ts';
import type { TestOrganization } from '../stack/organization.ts';
import { type Stack, type StackOptions, startStack } from '../stack/start-stack.ts';
import type { Role } from '@outdial/db';

export const hasChromium = inject('chromium') !== null;

/** The widths that every screen is tested at. */
export const sizes = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

export type Size = keyof typeof sizes;

const screenshots = join(cacheFolder, 'screenshots');

export interface ConsoleWorld {
  readonly stack: Stack;
  readonly organization: TestOrganization;
  /** A window of its own, not signed in. `origin`: of another page than the console, which it may ask. */
  newPage(size: Size, options?: { locale?: string; timezoneId?: string; origin?: string }): Promise<Page>;
  /** Signs in with a key, as a person does. */
  signedIn(size: Size, role?: Role, options?: { locale?: string; timezoneId?: string }): Promise<Page>;
  /**
   * Holds the screen to what holds for every screen: no violation that axe finds, in light and dark; nothing that is cut off at the side, nor, on a
   * phone, a table that scrolls sideways; and keeps pictures of it in `.cache/screenshots`.
   */
  inspect(page: Page, name: string): Promise<void>;
}

export interface ConsoleOptions extends Partial<StackOptions> {
  /** Further flags for Chromium; asked for once, before it begins. */
  browserArgs?: () => Promise<readonly string[]>;
}

/**
 * The whole service and a browser, for the tests of one file. Called at its top. A test fails where a page logs an error or asks another host
 * for anything.
 */
export function useConsole({ browserArgs, ...options }: ConsoleOptions = {}): ConsoleWorld {
  let stack: Stack | undefined;
  let organization: TestOrganization | undefined;
  let browser: Browser | undefined;
  const faults: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ backend: 'postgres', ...options });
    organization = await stack.organization();
    const program = inject('chromium');
    if (program === null) return;
    browser = await chromium.launch({
      executablePath: program.command,
      env: program.env,
      // Its sandbox takes rights that containers do not have; the pages are our own.
      args: [
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--autoplay-policy=no-user-gesture-required',
        ...((await browserArgs?.()) ?? []),
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    expect(faults).toEqual([]);
  });

  const world: ConsoleWorld = {
    get stack() {
      return present(stack);
    },
    get organization() {
      return present(organization);
    },
    async newPage(size, { locale = 'en-GB', timezoneId = 'Europe/Berlin', origin } = {}) {
      const context = await present(browser).newContext({
        baseURL: world.stack.baseUrl,
        viewport: sizes[size],
        locale,
        timezoneId,
        colorScheme: 'light',
        reducedMotion: 'reduce',
        isMobile: size === 'phone',
        hasTouch: size === 'phone',
      });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      watch(page, origin ?? world.stack.baseUrl, faults);
      onTestFailed(async ({ task }) => {
        const name = task.name.replaceAll(/\W+/g, '-');
        await page.screenshot({ path: join(screenshots, `failed-${name}.png`), fullPage: true });
      });
      return page;
    },
    async signedIn(size, role = 'admin', pageOptions) {
      const page = await world.newPage(size, pageOptions);
      await page.goto('/console');
      await page.getByLabel('API key').fill(world.organization.apiKeys[role]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      return page;
    },
    inspect,
  };
  return world;
}

function watch(page: Page, baseUrl: string, faults: string[]): void {
  page.on('console', (message) => {
    // Chromium writes a line for every answer that is no success; tests ask for some of them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(`${page.url()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== baseUrl) faults.push(`asked ${request.url()}`);
  });
}

async function inspect(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  const size = (page.viewportSize()?.width ?? 0) < 700 ? 'phone' : 'desktop';
  // As tall as the screen, so that what stands beside or below it is where people see it.
  const before = page.viewportSize() ?? sizes[size];
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...before, height: Math.max(before.height, height) });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(screenshots, `${name}-${size}-${colorScheme}.png`), fullPage: true });
    expect(await violationsOf(page), `${name}, ${size}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
  const overhang = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overhang, `${name} is wider than its window`).toBeLessThanOrEqual(0);
  if (size === 'desktop') return;
  const cut = await page.evaluate(`[...document.querySelectorAll('.table-box')]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)`);
  expect(cut, `${name}: tables that have to be scrolled sideways`).toEqual([]);
}

/** What axe finds, a line each. Through the debugger, since the page's policy lets no script in. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.split('\n')[1] ?? ''}`),
  );
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the console is there within tests only');
  return value;
}
