import { readFileSync } from 'node:fs';

const file = new URL('../../../docs/operations/postgres-and-redis.md', import.meta.url);

/**
 * A variable as the page on Postgres and Redis in production sets it, with other hosts and users.
 * @param changes each must occur in the page's value
 */
export function variableOfPage(name: string, changes: Readonly<Record<string, string>> = {}): string {
  const value = new RegExp(`^${name}='?([^'\\n]+)'?$`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
  if (value === undefined) throw new Error(`the page does not set ${name}`);
  return Object.entries(changes).reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new Error(`${name} of the page has no ${before}`);
    return text.replace(before, after);
  }, value);
}
