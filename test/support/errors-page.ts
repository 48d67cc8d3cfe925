import { readFileSync } from 'node:fs';

/** The errors that `docs/errors.md` describes: the statuses of each code, and the types of faults of a request. */
export function readErrorsPage(): {
  statuses: ReadonlyMap<string, readonly number[]>;
  types: readonly string[];
} {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const errors = page.matchAll(/^\| ([\d, ]+?) +\| `(\w+)` +\| [^|]*\S[^|]* \| [^|]*\S[^|]* \|$/gm);
  const types = page.matchAll(/^\| `(\w+)` +\| [^|]*\S[^|]* \|$/gm);
  return {
    statuses: new Map(
      [...errors].map(([, statuses = '', code = '']) => [code, statuses.split(', ').map(Number)]),
    ),
    // The first one is the column's name.
    types: [...types].map(([, type = '']) => type).slice(1),
  };
}
