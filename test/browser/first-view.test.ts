import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';
import { cacheFolder } from '../support/debian/unpack-packages.ts';

const world = useConsole();
const loads = 6;

/** Records when the list of campaigns, or its empty state, is rendered. */
const noteFirstView = `{
  const isThere = () => document.querySelector('h1')?.textContent === 'Campaigns' && !document.querySelector('.placeholder');
  const observer = new MutationObserver(() => {
    if (!isThere()) return;
    observer.disconnect();
    requestAnimationFrame(() => { window.firstViewMs = performance.now(); });
  });
  observer.observe(document, { childList: true, subtree: true });
}`;

const middleOf = (times: readonly number[]) =>
  Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0);

/** The load time of a trivial page of the same api in a new window: the cost of the machine, the browser and the api alone. */
async function trivialMs(): Promise<number> {
  const page = await world.newPage('desktop');
  try {
    await page.goto('/healthz');
    return await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].loadEventEnd`);
  } finally {
    await page.context().close();
  }
}

test.skipIf(!hasChromium)(
  'the first view of a browser with an empty cache takes few requests and bytes, all of which the page itself names',
  async () => {
    const signedIn = await world.signedIn('desktop', 'viewer');
    const { cookies } = await signedIn.context().storageState();
    await signedIn.context().close();
    const times: number[] = [];
    const trivialTimes: number[] = [];
    let requests: Array<{ name: string; transferSize: number }> = [];
    let html = '';
    for (let load = 0; load < loads; load++) {
      trivialTimes.push(await trivialMs());
      // A new context has an empty cache.
      const page = await world.newPage('desktop');
      await page.context().addCookies(cookies);
      await page.addInitScript(noteFirstView);
      html = (await (await page.goto('/console'))?.text()) ?? '';
      const shownAt = () => page.evaluate<number>('window.firstViewMs ?? 0');
      await expect.poll(shownAt).toBeGreaterThan(0);
      times.push(await shownAt());
      requests = await page.evaluate<typeof requests>(
        `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .filter(({ startTime }) => startTime <= window.firstViewMs)
          .map(({ name, transferSize }) => ({ name, transferSize }))`,
      );
      await page.context().close();
    }
    // The second part of the script may begin to load before the first view.
    const first = requests.filter(({ name }) => !name.includes('/further-'));
    const bytes = first.reduce((sum, { transferSize }) => sum + transferSize, 0);
    const figures = {
      bestMs: Math.round(Math.min(...times)),
      medianMs: middleOf(times),
      trivialBestMs: Math.round(Math.min(...trivialTimes)),
      trivialMedianMs: middleOf(trivialTimes),
      requests: first.length,
      bytes,
    };
    writeFileSync(join(cacheFolder, 'first-view.json'), `${JSON.stringify(figures)}\n`);
    // Page, script, its imports, styles, icon, campaigns.
    expect(first.slice(6)).toEqual([]);
    expect(bytes).toBeGreaterThan(15_000);
    expect(bytes).toBeLessThan(45_000);
    // After the page, all of them are on their way at once: none waits for a script or another answer.
    const named = html.replaceAll('&amp;', '&');
    const paths = first.slice(1).map(({ name }) => name.replace(/^https?:\/\/[^/]+/, ''));
    expect(paths.filter((path) => !named.includes(`"${path}"`))).toEqual([]);
  },
);
