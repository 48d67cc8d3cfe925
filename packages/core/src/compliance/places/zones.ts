import { findTimeZone } from '../../time-zone.ts';
import { countryZonesText } from './number-places.generated.ts';
import { regionZones } from './regions.ts';

/** Zones that keep the same time in these years count as one. */
const comparedFromMs = Date.UTC(2026, 0, 1);
const comparedToMs = Date.UTC(2028, 0, 1);

/** These places have country codes in libphonenumber, but no entry in the time zone database. */
const placesWithoutEntry: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['AC', ['Atlantic/St_Helena']],
  ['TA', ['Atlantic/St_Helena']],
  ['XK', ['Europe/Belgrade']],
];

const zonesOfCountries: ReadonlyMap<string, readonly string[]> = new Map([
  ...lines(countryZonesText).map(([country = '', ...zones]) => [country, zones] as const),
  ...placesWithoutEntry,
]);

const countriesOfZones = new Map<string, string[]>();
for (const [country, zones] of zonesOfCountries) {
  for (const zone of zones) countriesOfZones.set(zone, [...(countriesOfZones.get(zone) ?? []), country]);
}

const distinctZones = new Map<string, readonly string[]>();

export function lines(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}

const knownClocks = new Map<string, string>();
/** More than there are names of zones; callers may write one in several ways. */
const clocksAtMost = 5_000;

/** The behaviour of a zone's clock, as a text: two zones with the same text are indistinguishable. */
function clockOf(zone: string): string {
  const known = knownClocks.get(zone);
  if (known !== undefined) return known;
  const segments = findTimeZone(zone)?.segments(comparedFromMs, comparedToMs) ?? [];
  const clock = segments.map(({ fromMs, offsetMs }) => `${fromMs}:${offsetMs}`).join();
  if (knownClocks.size >= clocksAtMost) knownClocks.clear();
  knownClocks.set(zone, clock);
  return clock;
}

/** The zones of a region or country, one for each kind of clock; empty if the jurisdiction is unknown. */
export function zonesOf(jurisdiction: string): readonly string[] {
  const known = distinctZones.get(jurisdiction);
  if (known !== undefined) return known;
  const zones = regionZones.get(jurisdiction) ?? zonesOfCountries.get(jurisdiction) ?? [];
  const byClock = new Map<string, string>();
  for (const zone of zones) {
    const clock = clockOf(zone);
    if (!byClock.has(clock)) byClock.set(clock, zone);
  }
  const distinct = [...byClock.values()];
  distinctZones.set(jurisdiction, distinct);
  return distinct;
}

/** Whether a zone is one of a region or country, or keeps the same time as one. */
export function isZoneOf(zone: string, jurisdiction: string): boolean {
  const clock = clockOf(zone);
  return zonesOf(jurisdiction).some((one) => clockOf(one) === clock);
}

export function countriesOfZone(zone: string): readonly string[] {
  return countriesOfZones.get(findTimeZone(zone)?.name ?? zone) ?? [];
}

/** One zone for each kind of clock, in the order given. */
export function distinctClocks(zones: readonly string[]): string[] {
  return [...new Map(zones.toReversed().map((zone) => [clockOf(zone), zone])).values()].toReversed();
}
