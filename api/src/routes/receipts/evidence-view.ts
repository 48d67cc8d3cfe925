import type { Receipt } from '@outdial/contracts';
import { localTimeIn, type GateGrounds } from '@outdial/core';
import type { ConsentRow, PersonCheckJson, RefusalRecord, ScrubVersion, SuppressionRow } from '@outdial/db';
import { consentView } from '@outdial/engine';
import type { JudgedCondition } from '@outdial/engine';

type Evidence = Pick<
  Receipt,
  'conditions' | 'grounds' | 'person' | 'consent' | 'scrub_lists' | 'suppression' | 'refusals'
>;

/** The facts behind a decision, for receipts and explanations. */
export function evidenceView(of: {
  at: Date | null;
  conditions: JudgedCondition[];
  grounds: GateGrounds | null;
  personCheck: PersonCheckJson | null;
  consent: ConsentRow | null;
  scrubCheck: Record<string, string | null> | null;
  scrubVersions?: Record<string, ScrubVersion | null> | null;
  suppression: SuppressionRow | null;
  refusals: RefusalRecord | null;
}): Evidence {
  const { suppression, refusals } = of;
  return {
    conditions: of.conditions,
    grounds: of.grounds && groundsView(of.grounds, of.at),
    person: of.personCheck && personView(of.personCheck),
    consent: of.consent && consentView(of.consent),
    scrub_lists: of.scrubCheck && scrubsView(of.scrubCheck, of.scrubVersions),
    suppression: suppression && {
      reason: suppression.reason,
      source: suppression.source,
      created_at: suppression.created_at.toISOString(),
      expires_at: suppression.expires_at?.toISOString() ?? null,
    },
    refusals: refusals && refusalsView(refusals),
  };
}

function groundsView(grounds: GateGrounds, at: Date | null): NonNullable<Evidence['grounds']> {
  const { person_caps: _inPerson, ...said } = grounds;
  return {
    ...said,
    zones: at === null ? [] : grounds.zones.map((zone) => ({ zone, local_time: localTimeIn(zone, at) })),
  };
}

function personView(check: PersonCheckJson): NonNullable<Evidence['person']> {
  return {
    calls: check.calls ?? [],
    gap_seconds: check.gap_seconds ?? null,
    after_conversation_hours: check.after_conversation_hours ?? null,
    last_call_at: instant(check.last_call_at),
    conversation_at: instant(check.conversation_at),
  };
}

function scrubsView(
  check: Record<string, string | null>,
  versions: Record<string, ScrubVersion | null> | null | undefined,
): NonNullable<Evidence['scrub_lists']> {
  return Object.entries(check).map(([name, at]) => ({
    name,
    scrubbed_at: instant(at ?? undefined),
    ...versions?.[name],
  }));
}

/** In JSON, Postgres writes instants with an offset and microseconds. */
function instant(text: string | undefined): string | null {
  return text === undefined ? null : new Date(text).toISOString();
}

export function refusalsView(record: RefusalRecord): NonNullable<Evidence['refusals']> {
  return {
    total: Object.values(record.counts).reduce((sum, count) => sum + count, 0),
    by_condition: record.counts,
    first_at: record.firstAt.toISOString(),
    last: {
      condition: record.lastReason,
      at: record.lastAt.toISOString(),
      grounds: record.lastGrounds && groundsView(record.lastGrounds, record.lastAt),
      person: record.lastPersonCheck && personView(record.lastPersonCheck),
    },
  };
}
