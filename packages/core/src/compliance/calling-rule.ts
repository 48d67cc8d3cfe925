import type { Interval } from '../local-span.ts';
import type { ConsentReading } from './consent.ts';
import type { HoursTable } from './hours-table.ts';
import type { CallCap } from './person-caps.ts';

/** How binding a rule is. A `code` binds its members; `practice` applies where no text names hours. */
export const ruleBases = ['statute', 'regulation', 'code', 'practice'] as const;

/** The rule of one jurisdiction: when people there may be called, and its legal source. */
export interface CallingRule {
  /** ISO 3166: a country (`DE`), or a region (`US-FL`), whose rule applies in addition to its country's. */
  jurisdiction: string;
  name: string;
  /** Increases whenever hours, days, caps or source change; receipts name it. */
  version: number;
  /** Version of the operator's overlay that it comes from; absent for a rule that comes with Outdial. */
  overlay?: string;
  hours: HoursTable;
  /** Times without calls. */
  emergencies?: readonly Interval[];
  /** At most so many calls to one person, over all campaigns and direct calls; absent for no limit. In addition to the caps of the organization. */
  caps?: readonly CallCap[];
  /** Whether a natural voice has to announce a call before an artificial one speaks, and where that stands. */
  naturalVoiceFirst?: { citation: string };
  /** For how many days after it was obtained a version of a do-not-call list of this jurisdiction may be used, and where that stands. */
  registry?: { goodForDays: number; citation: string };
  /** The consents that calls of a purpose need, under `strict`. A region has its country's as well. */
  consent?: ConsentReading;
  source: {
    basis: (typeof ruleBases)[number];
    citation: string;
    /** yyyy-MM-dd, when the texts of the rule, except those on consent, were last checked. They are due again after `reviewDays`. */
    asOf: string;
    /** The page about the law that was read, where the law itself was not. Absent for rules from before this was noted, most of which were read in pages too. */
    readIn?: string;
    /** The decision, if sources differ. */
    note?: string;
  };
}
