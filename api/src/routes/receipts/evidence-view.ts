import type { Receipt } from '@outdial/contracts';
import { localTimeIn, type GateGrounds } from '@outdial/core';
import type { ConsentRow, PersonCheckJson, RefusalRecord, ScrubVersion, SuppressionRow } from '@outdial/db';
import { consentView } from '@outdial/engine';
import type { JudgedCondition } from '@outdial/engine';

type Evidence = Pick<
  Receipt,
  'conditions' | 'grounds' | 'person' | 'consent' | 'scrub_lists' | 'suppression' | 'refusals'
>;

export function evidenceView(of: {
  at: Date | null;
  conditions: JudgedCondition[];
  grounds: GateGrounds | null;
  person_check: PersonCheckJson | null;
  consent: ConsentRow | null;
  scrub_check: Record<string, string | null> | null;
  scrub_versions?: Record<string, ScrubVersion | null> | null;
  suppression: SuppressionRow | null;
  refusals: RefusalRecord | null;
}): Evidence {
  const { suppression, refusals } = of;
  return {
    conditions: of.conditions,
    grounds: of.grounds && groundsView(of.grounds, of.at),
    person: of.person_check && personView(of.person_check),
    consent: of.consent && consentView(of.consent),
    scrub_lists: of.scrub_check && scrubsView(of.scrub_check, of.scrub_versions),
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
  const { person_caps: _inPerson, ...others } = grounds;
  return {
    ...others,
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
    first_at: record.first_at.toISOString(),
    last: {
      condition: record.last_reason,
      at: record.last_at.toISOString(),
      grounds: record.last_grounds && groundsView(record.last_grounds, record.last_at),
      person: record.last_person_check && personView(record.last_person_check),
    },
  };
}
