import { isSupportedCountry } from 'libphonenumber-js/max';
import type { DayRule } from './calendar-days.ts';
import type { CallingRule } from './calling-rule.ts';
import { type CampaignPurpose, campaignPurposes } from './campaign-purpose.ts';
import type { ConsentBasis, ConsentNeed, ConsentReading } from './consent.ts';
import { type DaySpan, week } from './hours-table.ts';
import type { CallCap } from './person-caps.ts';
import { regionZones } from './places/regions.ts';

/** A rule of the operator for a country or state. What it leaves out stays as in the rule that comes with Outdial. */
export interface OverlaidRule {
  jurisdiction: string;
  version: number;
  /** Spans such as `09:00-12:00` of the days of the week; all three or none. A day without spans allows no calls. */
  weekdays?: readonly string[];
  saturday?: readonly string[];
  sunday?: readonly string[];
  /** Days without calls: of every year (`12-24`) or of one (`2027-05-03`). Those of the replaced rule stay. */
  closed?: readonly string[];
  /** Times without calls, from an instant to an instant. */
  emergencies?: ReadonlyArray<{ from: string; to: string; reason: string }>;
  caps?: readonly CallCap[];
  list_good_for_days?: number;
  /** The bases of consent that each purpose needs; null for none. */
  consent?: Readonly<Partial<Record<CampaignPurpose, readonly ConsentBasis[] | null>>>;
  /** The purposes of calls that are allowed. */
  purposes?: readonly CampaignPurpose[];
  basis: CallingRule['source']['basis'];
  citation: string;
  /** yyyy-MM-dd */
  as_of: string;
}

/** The operator's rules, and the pinned versions of Outdial's: the document of `outdial rules import`. */
export interface RuleOverlay {
  /** The name of this version of the document. Receipts name it. */
  version: string;
  rules: readonly OverlaidRule[];
  /** Versions of the rules that come with Outdial, by jurisdiction. */
  pins: Readonly<Record<string, number>>;
}

/** A fault of an overlay, with its field. */
export interface OverlayFault {
  field: string;
  message: string;
}

/** What to do if the operator's rules do not fit a release. */
export const rulesRemedy =
  'Ask the operator to correct the file of rules and to import it under another version (`outdial rules show`, `outdial rules import`). Calls then continue by themselves.';

export type Overlaid = { rules: CallingRule[] } | { fault: OverlayFault };

/**
 * Applies an overlay to the rules, or returns its faults.
 * @param lawOf the jurisdiction whose rule applies in a country
 */
export function overlaid(
  builtIn: readonly CallingRule[],
  overlay: RuleOverlay,
  { elsewhere, lawOf }: { elsewhere: string; lawOf: (country: string) => string },
): Overlaid {
  const rules = new Map(builtIn.map((rule) => [rule.jurisdiction, rule]));
  const seen = new Set<string>();
  for (const [n, own] of overlay.rules.entries()) {
    const fault = (message: string) => ({ fault: { field: `rules[${n}].jurisdiction`, message } });
    const { jurisdiction } = own;
    if (seen.has(jurisdiction)) return fault('repeats a jurisdiction');
    seen.add(jurisdiction);
    const known = rules.get(jurisdiction);
    if (jurisdiction.length > 2 ? !regionZones.has(jurisdiction) : !isSupportedCountry(jurisdiction)) {
      return fault('is not a country, nor a state of the United States or province of Canada');
    }
    const law = lawOf(jurisdiction);
    if (known === undefined && jurisdiction.length === 2 && law !== jurisdiction) {
      return fault(`is a country to which the rule of ${law} applies: put the rule on ${law} instead`);
    }
    const replaced = known ?? (jurisdiction.length > 2 ? nothing : rules.get(elsewhere));
    rules.set(jurisdiction, ruleOf(own, replaced, overlay.version));
  }
  for (const [jurisdiction, version] of Object.entries(overlay.pins)) {
    const known = builtIn.find((rule) => rule.jurisdiction === jurisdiction);
    const fault = (message: string) => ({ fault: { field: `pins.${jurisdiction}`, message } });
    if (known === undefined) return fault('has no built-in rule');
    if (known.version !== version && !seen.has(jurisdiction)) {
      return fault(
        `the rule has version ${known.version} in this release: review it and pin version ${known.version}, or add the hours of version ${version} to rules`,
      );
    }
  }
  return { rules: [...rules.values()] };
}

const allDay: DaySpan = { startMs: 0, endMs: 24 * 3_600_000 };
/** A state without a rule of its own adds nothing to that of its country. */
const nothing: Pick<CallingRule, 'jurisdiction' | 'hours'> = {
  jurisdiction: '',
  hours: { week: week({ weekdays: [allDay], saturday: [allDay], sunday: [allDay] }), exceptions: [] },
};

function ruleOf(own: OverlaidRule, replaced: Partial<CallingRule> | undefined, overlay: string): CallingRule {
  const { weekdays, saturday, sunday } = own;
  const days = (own.closed ?? []).map(dayOf);
  return {
    jurisdiction: own.jurisdiction,
    name: (replaced?.jurisdiction === own.jurisdiction ? replaced.name : undefined) ?? own.jurisdiction,
    version: own.version,
    overlay,
    hours: {
      week:
        weekdays && saturday && sunday
          ? week({
              weekdays: spansOf(weekdays),
              saturday: spansOf(saturday),
              sunday: spansOf(sunday),
            })
          : ((replaced ?? nothing).hours?.week ?? []),
      exceptions: [
        ...(replaced?.hours?.exceptions ?? []),
        ...(days.length === 0 ? [] : [{ days, spans: [] }]),
      ],
    },
    ...(own.emergencies && {
      emergencies: own.emergencies.map(({ from, to }) => ({
        fromMs: Date.parse(from),
        toMs: Date.parse(to),
      })),
    }),
    ...((own.caps ?? replaced?.caps) && { caps: own.caps ?? replaced?.caps ?? [] }),
    ...(replaced?.naturalVoiceFirst && { naturalVoiceFirst: replaced.naturalVoiceFirst }),
    ...(own.list_good_for_days === undefined
      ? replaced?.registry && { registry: replaced.registry }
      : { registry: { goodForDays: own.list_good_for_days, citation: own.citation } }),
    consent: consentOf(own, replaced?.consent),
    source: { basis: own.basis, citation: own.citation, asOf: own.as_of },
  };
}

function consentOf(
  { consent: given = {}, purposes, citation, as_of: asOf }: OverlaidRule,
  replaced: ConsentReading | undefined,
): ConsentReading {
  const needs: Partial<Record<CampaignPurpose, ConsentNeed>> = {};
  for (const purpose of campaignPurposes) {
    // No consent suffices for a purpose that is not allowed.
    const bases = purposes?.includes(purpose) === false ? [] : given[purpose];
    const need = bases === undefined ? replaced?.[purpose] : bases && { bases, citation };
    if (need) needs[purpose] = need;
  }
  return { asOf, ...needs };
}

/** @param text `12-24` or `2027-12-24` */
function dayOf(text: string): DayRule {
  const [day = 0, month = 0, year] = text.split('-').map(Number).toReversed();
  return { kind: 'date', month, day, ...(year !== undefined && { year }) };
}

function spansOf(texts: readonly string[]): DaySpan[] {
  return texts.map(spanOfText).toSorted((one, other) => one.startMs - other.startMs);
}

/** @param text `09:00-20:30`, with an exclusive end */
export function spanOfText(text: string): DaySpan {
  const [startMs = Number.NaN, endMs = Number.NaN] = text.split('-').map((time) => {
    const [hours = Number.NaN, minutes = Number.NaN] = time.split(':').map(Number);
    return minutes < 60 ? (hours * 60 + minutes) * 60_000 : Number.NaN;
  });
  return { startMs, endMs };
}
