import { request } from 'node:http';
import type { Attack, Figure } from '../attack.ts';

export const endlessPaths: Attack = {
  name: 'endless-paths',
  does: 'a stranger asks for paths of sixteen kilobytes that look like the urls of others',
  async begin({ api }) {
    // A naive pattern that masks URLs and numbers in the log takes quadratic time on this path.
    const path = `/${'://:'.repeat(3_800)}`;
    return {
      send: () => get(api.url, path),
      async figures(): Promise<Figure[]> {
        const [empty, long] = await costsOf(
          () => get(api.url, '/nothing'),
          () => get(api.url, path),
        );
        return [
          {
            what: 'a refused request against an empty 404',
            measured: long / empty,
            unit: 'times',
            atMost: 2,
          },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'api/src/http/request-log.ts',
      find: 'const pathLength = 256;',
      replace: 'const pathLength = 1_000_000;',
    },
    {
      file: 'packages/runtime/src/mask-line.ts',
      find: '{0,256}:)[^\\s@"\\\\]{1,256}@/g;',
      replace: '*:)[^\\s@"\\\\]+@/g;',
    },
  ],
};

const rounds = 150;
/** Without the protection, a request is so slow that all rounds would take minutes. */
const fewest = 20;
const measuredForMs = 20_000;

/** The medians of two requests that are made in turn, so that what disturbs one disturbs the other. */
async function costsOf(...actions: [() => Promise<void>, () => Promise<void>]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const [first] = times;
  const enoughAt = performance.now() + measuredForMs;
  while (first.length < fewest || (first.length < rounds && performance.now() < enoughAt)) {
    for (const [at, action] of actions.entries()) {
      const startedAt = performance.now();
      await action();
      times[at]?.push(performance.now() - startedAt);
    }
  }
  return [median(times[0]), median(times[1])];
}

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** `fetch` would normalize the path. */
function get(base: string, path: string): Promise<void> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      response.once('end', resolve);
    });
    sent.once('error', reject);
    sent.end();
  });
}
