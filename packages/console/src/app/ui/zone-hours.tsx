import { hoursOnClock } from '../plots/zone-hours.ts';
import { cityOf, count, hoursInWords } from '../words/dates.ts';

interface Props {
  zones: ReadonlyArray<{ zone: string; people: number }>;
  /** The zone of the drawing's clock. */
  clock: string;
  hours: { start: string; end: string };
  at: Date;
}

const shown = 8;
const marks = [0, 6, 12, 18, 24];

/** A day on one clock, with a bar for each zone: when its people are called. */
export function ZoneHours({ zones, clock, hours, at }: Props) {
  if (zones.length === 0) return null;
  return (
    <figure class="zones">
      <figcaption>
        When people are called, in the local time of <strong>{cityOf(clock)}</strong>
      </figcaption>
      <ul>
        {zones.slice(0, shown).map(({ zone, people }) => (
          <li key={zone}>
            <span class="zone-name">
              {cityOf(zone)} <small>{count(people, 'person').replace('persons', 'people')}</small>
            </span>
            <span class="zone-day">
              {hoursOnClock(hours, { zone, clock: safeZone(clock), at }).map(({ from, to }) => (
                <span
                  key={from}
                  style={{ left: `${(from / 1_440) * 100}%`, width: `${((to - from) / 1_440) * 100}%` }}
                />
              ))}
              <span class="hidden">{hoursInWords(hours.start, hours.end)} there</span>
            </span>
          </li>
        ))}
      </ul>
      <p class="zone-marks" aria-hidden="true">
        {marks.map((hour) => (
          <span key={hour}>{String(hour).padStart(2, '0')}</span>
        ))}
      </p>
      {zones.length > shown && <p class="hint">and {count(zones.length - shown, 'more zone')}</p>}
    </figure>
  );
}

/** A partly typed name is not a zone yet. */
function safeZone(zone: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
