import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CallingRule } from './calling-rule.ts';
import { type DaySpan, week } from './hours-table.ts';

/** A rule of the operator that replaces one of Outdial's. */
export interface OverlaidRule {
  jurisdiction: string;
  version: number;
  /** Hours of the week; a day without spans allows no calls. */
  weekdays: readonly DaySpan[];
  saturday: readonly DaySpan[];
  sunday: readonly DaySpan[];
  /** Dates of every year without calls, in addition to those of the replaced rule. */
  closed: ReadonlyArray<{ month: number; day: number }>;
  basis: CallingRule['source']['basis'];
  citation: string;
  /** yyyy-MM-dd */
  asOf: string;
}

/** The operator's rules, and the pinned versions of Outdial's. */
export interface RuleOverlay {
  /** The version of the whole overlay. Receipts name it. */
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
    if (known === undefined && jurisdiction.length > 2) {
      return fault('is a region without its own rule: put the rule on its country instead');
    }
    if (known === undefined && !isSupportedCountry(jurisdiction)) return fault('is not a country');
    if (known === undefined && lawOf(jurisdiction) !== jurisdiction) {
      return fault(
        `is a country to which the rule of ${lawOf(jurisdiction)} applies: put the rule on ${lawOf(jurisdiction)} instead`,
      );
    }
    rules.set(jurisdiction, ruleOf(own, known ?? rules.get(elsewhere), overlay.version));
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

function ruleOf(own: OverlaidRule, replaced: CallingRule | undefined, overlay: string): CallingRule {
  const days = own.closed.map(({ month, day }) => ({ kind: 'date' as const, month, day }));
  return {
    jurisdiction: own.jurisdiction,
    name: replaced?.jurisdiction === own.jurisdiction ? replaced.name : own.jurisdiction,
    version: own.version,
    overlay,
    hours: {
      week: week({ weekdays: own.weekdays, saturday: own.saturday, sunday: own.sunday }),
      exceptions: [
        ...(replaced?.hours.exceptions ?? []),
        ...(days.length === 0 ? [] : [{ days, spans: [] }]),
      ],
    },
    ...(replaced?.caps && { caps: replaced.caps }),
    ...(replaced?.naturalVoiceFirst && { naturalVoiceFirst: replaced.naturalVoiceFirst }),
    ...(replaced?.consent && { consent: replaced.consent }),
    ...(replaced?.registry && { registry: replaced.registry }),
    source: { basis: own.basis, citation: own.citation, asOf: own.asOf },
  };
}
