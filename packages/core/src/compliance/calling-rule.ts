import type { HoursTable } from './hours-table.ts';

/** The rule of one jurisdiction: when people there may be called, and its legal source. */
export interface CallingRule {
  /** ISO 3166: a country (`DE`), or a region (`US-FL`), whose rule applies in addition to its country's. */
  jurisdiction: string;
  name: string;
  /** Increases whenever hours, days or source change; receipts name it. */
  version: number;
  /** Version of the operator's overlay that it comes from; absent for a rule that comes with Outdial. */
  overlay?: string;
  hours: HoursTable;
  source: {
    /** How binding it is. A `code` binds its members; `practice` applies where no text names hours. */
    basis: 'statute' | 'regulation' | 'code' | 'practice';
    citation: string;
    /** yyyy-MM-dd, when the text was last checked. */
    asOf: string;
    /** The decision, if sources differ. */
    note?: string;
  };
}
