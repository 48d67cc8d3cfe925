import { useMemo } from 'preact/hooks';
import { columnOf } from '../../sheets/mapping.ts';
import { Card } from '../../ui/basics.tsx';
import { Check, TextField } from '../../ui/fields.tsx';
import { HoursAndDays } from '../campaign-form/hours-and-days.tsx';
import type { ChangeDraft, Draft } from './draft.ts';
import { hoursOnClock } from '../../plots/zone-hours.ts';
import { cityOf, count, hoursInWords } from '../../words/dates.ts';

/** Dates and hours, drawn for each zone of the people on the list. */
export function Schedule({ draft, change }: { draft: Draft; change: ChangeDraft }) {
  const zones = useMemo(() => zonesOf(draft), [draft.sheet, draft.columns, draft.timezone]);
  const allZones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  return (
    <Card title="When">
      <div class="form">
        <HoursAndDays values={draft} change={change} startHint="Today unless you choose one." />
        <div class="row">
          <TextField
            label="Time zone"
            value={draft.timezone}
            onInput={(timezone) => change({ timezone })}
            list={allZones}
            hint="For people without a time zone in their row."
          />
          <div class="field">
            <span class="legend">Weekends</span>
            <Check
              label="Call on Saturdays and Sundays"
              checked={draft.onWeekends}
              onChange={(onWeekends) => change({ onWeekends })}
            />
          </div>
        </div>
        <ZoneHours
          zones={zones}
          clock={draft.timezone}
          hours={{ start: draft.startTime, end: draft.endTime }}
          at={draft.startDate === '' ? new Date() : new Date(`${draft.startDate}T12:00:00Z`)}
        />
      </div>
    </Card>
  );
}

/** How many people live in each zone, most first. */
function zonesOf({ sheet, columns, timezone }: Draft): Array<{ zone: string; people: number }> {
  const name = columnOf(columns, 'timezone');
  const column = sheet?.columns.find((one) => one.name === name);
  const own = column?.values ?? [];
  const people = new Map(own.map(({ value, rows }) => [value, rows]));
  const others = column?.empty ?? sheet?.count ?? 0;
  people.set(timezone, (people.get(timezone) ?? 0) + others);
  return [...people]
    .filter(([zone, number]) => number > 0 && isZone(zone))
    .map(([zone, number]) => ({ zone, people: number }))
    .toSorted((one, other) => other.people - one.people);
}

function isZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

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
function ZoneHours({ zones, clock, hours, at }: Props) {
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
