import { TextField } from '../../ui/fields.tsx';
import type { FieldFaults, ScheduleValues } from './values.ts';

export function HoursAndDays({
  values: { startTime, endTime, startDate, endDate },
  change,
  startHint,
  faults = {},
}: {
  values: ScheduleValues;
  change: (some: Partial<ScheduleValues>) => void;
  startHint?: string;
  faults?: FieldFaults;
}) {
  return (
    <div class="row">
      <TextField
        label="From"
        type="time"
        value={startTime}
        onInput={(text) => change({ startTime: text })}
        required
        fault={faults['start_time']}
      />
      <TextField
        label="To"
        type="time"
        value={endTime}
        onInput={(text) => change({ endTime: text })}
        required
        fault={faults['end_time']}
      />
      <TextField
        label="First day"
        type="date"
        value={startDate}
        onInput={(text) => change({ startDate: text })}
        hint={startHint}
        fault={faults['start_date']}
      />
      <TextField
        label="Last day"
        type="date"
        value={endDate}
        onInput={(text) => change({ endDate: text })}
        hint="Leave it empty to call until everyone has been called."
        fault={faults['end_date']}
      />
    </div>
  );
}
