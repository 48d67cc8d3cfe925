import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { louisianaHolidays, usFederalHolidays } from './holidays.ts';

export const louisiana: CallingRule = {
  jurisdiction: 'US-LA',
  name: 'Louisiana',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [{ days: [...usFederalHolidays, ...louisianaHolidays], spans: [] }],
  },
  source: {
    basis: 'regulation',
    citation: 'La. R.S. 45:844.11 ff.; Louisiana Public Service Commission, General Order on Do Not Call',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
