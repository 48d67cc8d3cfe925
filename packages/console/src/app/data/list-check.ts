import { type Fault, OutdialError } from '@outdial/client';
import type { Schemas } from './api.ts';
import { count, wholeNumber } from '../words/dates.ts';
import { endsWithStop, faultsInWords, messageOf } from '../words/errors.ts';

/** Why the service would refuse to create the campaign, and how many people that concerns; null if it would not. */
export function refusalOf(
  warnings: ReadonlyArray<Schemas['Warning']>,
  people: number,
  language?: string,
): string | null {
  const causes = warnings
    .filter(({ code }) => code === 'would_be_refused')
    .map(({ msg }) => endsWithStop(msg));
  if (causes.length === 0) return null;
  const whom = people === 1 ? 'The person' : `All ${wholeNumber(people, language)} people`;
  return `${whom} on the list would be rejected: ${causes.join(' ')}`;
}

/** What else the service has to say, such as what it did not read of the file, as sentences. */
export function notesOf(warnings: ReadonlyArray<Schemas['Warning']>): string[] {
  return warnings.filter(({ code }) => code !== 'would_be_refused').map(({ msg }) => endsWithStop(msg));
}

const rowsNamed = 3;

/** The faults of a campaign whose list was checked. Counts the rows that would be skipped, and names the first of them. */
export function objectionOf(error: unknown, language?: string): string {
  const faults = error instanceof OutdialError ? error.faults : [];
  const rows = faults.reduce((sum, fault) => sum + rowsOf(fault), 0);
  if (rows === 0) return messageOf(error);
  const named = faults
    .flatMap(({ loc, msg }) => (isOfRow(loc) ? [endsWithStop(`Line ${String(loc[2])}: ${msg}`)] : []))
    .slice(0, rowsNamed);
  const more = rows - named.length;
  return [
    faultsInWords(faults.filter((fault) => rowsOf(fault) === 0)),
    `${count(rows, 'row', language)} would be skipped as well.`,
    ...named,
    ...(more > 0 ? [`And ${wholeNumber(more, language)} more.`] : []),
  ].join(' ');
}

/** How many rows a fault covers. The service names the first hundred, and counts the others in one more fault. */
function rowsOf({ loc, msg }: Fault): number {
  if (loc[1] !== 'file') return 0;
  return isOfRow(loc) ? 1 : Number(/^and (\d+) more errors/.exec(msg)?.[1] ?? 0);
}

function isOfRow(loc: Fault['loc']): boolean {
  return loc[1] === 'file' && typeof loc[2] === 'number';
}
