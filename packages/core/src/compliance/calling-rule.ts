import type { HoursTable } from './hours-table.ts';

/** The rule of one jurisdiction: when people there may be called, and where that is written. */
export interface CallingRule {
  /** ISO 3166: a country (`DE`) or a region (`US-FL`), whose rule holds beside its country's. */
  jurisdiction: string;
  name: string;
  /** Grows whenever hours, days or source change; receipts name it. */
  version: number;
  hours: HoursTable;
  source: {
    /** How firm it is. A `code` binds by membership, `practice` where no text names hours. */
    basis: 'statute' | 'regulation' | 'code' | 'practice';
    citation: string;
    /** yyyy-MM-dd, when the text was last looked at. */
    asOf: string;
    /** Where sources differ, what was decided. */
    note?: string;
  };
}
