import { describeEnv } from './docs.ts';
import type { EnvFragment } from './fragment.ts';

export interface Misspelt {
  readonly variable: string;
  /** The variable of Outdial that was probably meant. */
  readonly meant: string;
}

/** Shorter names, such as `HOST`, are too similar to names of other programs: only their own letters in another order count. */
const longNameLength = 8;
const typosAtMost = 2;
const toldAtMost = 20;

/**
 * Variables that no part of Outdial knows, but whose names differ from a known one only by a typing error. They would have no effect.
 * @param parts the fragments of the process, for the variables of its adapters
 */
export function misspeltVariables(
  source: Readonly<Record<string, string | undefined>>,
  parts: ReadonlyArray<EnvFragment<unknown>>,
): Misspelt[] {
  const ofParts = parts.flatMap(({ variables }) => Object.keys(variables));
  const ofOthers = describeEnv().flatMap(({ variables }) => variables.map(({ name }) => name));
  const known = [...new Set([...ofParts, ...ofOthers])];
  const isOwn = (name: string) =>
    known.includes(name) ||
    // A secret that the operator names after one of ours.
    (known.some((one) => name.startsWith(one)) &&
      parts.some(({ furtherSecrets }) => furtherSecrets?.test(name)));
  return Object.entries(source)
    .flatMap(([variable, value]) => {
      const name = variable.replace(/_FILE$/, '');
      if (value === undefined || value.trim() === '' || isOwn(variable) || isOwn(name)) return [];
      const meant = known.find((one) => isTypo(name, one));
      return meant === undefined ? [] : [{ variable, meant: meant + variable.slice(name.length) }];
    })
    .slice(0, toldAtMost);
}

export function misspeltMessage({ variable, meant }: Misspelt): string {
  return `${variable} is unknown and has no effect; did you mean ${meant}?`;
}

function isTypo(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > typosAtMost) return false;
  if (plain(name) === plain(known)) return true;
  if (known.length < longNameLength) return sorted(name) === sorted(known);
  return edits(name.toUpperCase(), known) <= typosAtMost;
}

function plain(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

function sorted(name: string): string {
  return name.split('').toSorted().join('');
}

/** The Levenshtein distance. */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let place = 0; place < one.length; place += 1) {
    const next = [place + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + (one[place] === other[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
