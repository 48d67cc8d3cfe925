import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { louisianaHolidays, usFederalHolidays } from './holidays.ts';

export const louisiana: CallingRule = {
  jurisdiction: 'US-LA',
  name: 'Louisiana',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [{ days: [...usFederalHolidays, ...louisianaHolidays], spans: [] }],
  },
  source: {
    basis: 'regulation',
    citation:
      'La. R.S. 45:844.11 ff.; Louisiana Public Service Commission, General Order R-29617 on Do Not Call, § V(A)(2); holidays: La. R.S. 1:55',
    asOf: '2026-11-27',
    note: 'No calls on Sundays and holidays. The day after Thanksgiving is proclaimed each year; other proclaimed days are not known.',
  },
};
