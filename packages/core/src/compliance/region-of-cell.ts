import { isCountry } from '../numbering-plan.ts';
import { regionZones } from './places/regions.ts';

/**
 * The region that a cell of a list names, for a person with this number: `US-FL`, `DE`, or in a column of states also `FL`. A state and a country of
 * the same name (`CA`) are both plausible for a number of calling code 1, and in a column of states for any number.
 * @returns the region as the engine knows it, or the fault
 */
export function regionOfCell(
  cell: string,
  { column, phoneNumber }: { column: string; phoneNumber: string },
): { region: string } | { fault: string } {
  const text = cell.toUpperCase();
  if (text.length !== 2) return { region: text };
  const state = ['US', 'CA'].map((country) => `${country}-${text}`).find((code) => regionZones.has(code));
  if (state === undefined) return { region: text };
  const hasStates = columnsOfStates.test(column);
  if (phoneNumber.startsWith('+1')) {
    if (hasStates || !isCountry(text)) return { region: state };
  } else if (!hasStates || !isCountry(text)) {
    return { region: text };
  }
  return {
    fault: `has the region ${text}, which may be the state ${state} or the country ${text}: write ${state}, or leave the cell empty`,
  };
}

const columnsOfStates = /state|province|provincia|provinz|estado|bundesland|kanton|canton/i;
