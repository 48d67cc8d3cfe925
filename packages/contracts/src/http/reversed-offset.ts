import type { Warning } from './warning.ts';

const reversed = /^Etc\/GMT([+-])(\d{1,2})$/i;
const zonesAtMost = 1_000;

/** Warns of `Etc/GMT+5`, which is UTC-5: POSIX counts offsets to the west. */
export function reversedOffsetWarnings(
  zones: Iterable<string | null | undefined>,
  loc: readonly string[],
): Warning[] {
  return [...new Set(zones)].slice(0, zonesAtMost).flatMap((zone): Warning[] => {
    const [, sign, hours] = reversed.exec(zone ?? '') ?? [];
    if (sign === undefined || hours === '0') return [];
    const msg = `${zone} is UTC${sign === '+' ? '-' : '+'}${hours}: the sign in these names is reversed. A name such as America/New_York also follows the clock changes`;
    return [{ code: 'reversed_offset', loc: [...loc], msg }];
  });
}
