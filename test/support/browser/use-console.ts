import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createOutdialClient, type OutdialClient } from '@outdial/client';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { cacheFolder } from '../debian/unpack-packages.ts';
import type { TestOrganization } from '../stack/organization.ts';
import { type Stack, type StackOptions, startStack } from '../stack/start-stack.ts';
import type { Role } from '@outdial/db';

export const hasChromium = inject('chromium') !== null;

/** The devices on which the tests use the console. Every screen is inspected at both widths. */
export const sizes = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

export type Size = keyof typeof sizes;

const screenshots = join(cacheFolder, 'screenshots');

export interface ConsoleWorld {
  readonly stack: Stack;
  readonly organization: TestOrganization;
  /** A client of the API with the key of this role. */
  client(role: Role): OutdialClient;
  /** A new window without a session, which closes after the test. `origin`: the origin of another page to which requests are allowed. */
  newPage(size: Size, options?: { locale?: string; timezoneId?: string; origin?: string }): Promise<Page>;
  /** Signs in with a key, like a person. */
  signedIn(size: Size, role?: Role, options?: { locale?: string; timezoneId?: string }): Promise<Page>;
  /**
   * Checks what applies to every screen, at both widths, in light and dark mode: axe finds no violation, no content is cut off horizontally, and on a
   * phone no table scrolls horizontally. Saves screenshots in `.cache/screenshots`.
   */
  inspect(page: Page, name: string): Promise<void>;
}

export interface ConsoleOptions extends Partial<StackOptions> {
  /** Additional flags for Chromium; called once before its start. */
  browserArgs?: () => Promise<readonly string[]>;
}

/**
 * Starts the whole service and a browser for the tests of one file. Call it at the top of the file. A test fails if a page logs an error or sends a
 * request to another host.
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
      // Its sandbox needs privileges that containers lack, and the pages are our own.
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
    client: (role) =>
      createOutdialClient({
        baseUrl: world.stack.baseUrl,
        apiKey: world.organization.apiKeys[role],
      }),
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
      // Only what fails waits so long.
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      watch(page, origin ?? world.stack.baseUrl, faults);
      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail' && !page.isClosed()) {
          const name = task.name.replaceAll(/\W+/g, '-');
          await page.screenshot({ path: join(screenshots, `failed-${name}.png`), fullPage: true });
        }
        await context.close();
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
    // Chromium logs a line for every unsuccessful answer, which some tests expect.
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
  const before = page.viewportSize() ?? sizes.desktop;
  // axe runs through the debugger, because the page's policy forbids other scripts.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  for (const size of ['desktop', 'phone'] as const) await inspectAt(page, name, size);
  await page.setViewportSize(before);
}

async function inspectAt(page: Page, name: string, size: Size): Promise<void> {
  await page.setViewportSize(sizes[size]);
  // As tall as the screen, so that the layout is the one that people see.
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...sizes[size], height: Math.max(sizes[size].height, height) });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(screenshots, `${name}-${size}-${colorScheme}.png`) });
    expect(await violationsOf(page, colorScheme), `${name}, ${size}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const overhang = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overhang, `${name} is wider than its window (${size})`).toBeLessThanOrEqual(0);
  if (size === 'desktop') return;
  const cut = await page.evaluate(`[...document.querySelectorAll('.table-box')]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)`);
  expect(cut, `${name}: tables that have to be scrolled sideways`).toEqual([]);
}

/** The violations that axe finds, one per line. Only colours differ in dark mode. */
async function violationsOf(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const rules = colorScheme === 'dark' ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {};
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const results = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.split('\n')[1] ?? ''}`),
  );
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('use the console within tests only');
  return value;
}
