import type { OutdialEvent } from '@outdial/client';

/** What became of somebody, by the last `recipient.finished`. */
export interface PersonHeard {
  reason: string;
  outcome: string | null;
  attempts: number;
}

/**
 * Everything that was told of one campaign. An event may come twice, and two recipients' events in any order: `sequence` grows by one within a
 * recipient and within the campaign, so a gap means that something is still to come.
 */
export class Ledger {
  /** By call. Null while the call goes on. */
  readonly calls = new Map<string, string | null>();
  /** By phone number. */
  readonly people = new Map<string, PersonHeard>();
  /** The statuses of the campaign, in their order. */
  readonly statuses: string[] = [];
  /** How often somebody was finished with: once for each person, and once more for each who was retried. */
  finishes = 0;
  readonly #seen = new Set<string>();
  /** By subject: how many events were heard, and the highest `sequence` among them. */
  readonly #subjects = new Map<string, { heard: number; highest: number }>();
  /** By what a later event must not overwrite: the `sequence` that was written last. */
  readonly #written = new Map<string, number>();

  /** Takes an event, and says whether it is new. */
  take(event: OutdialEvent): boolean {
    if (this.#seen.has(event.id)) return false;
    this.#seen.add(event.id);
    const { campaign_id, recipient_id, call_id, phone_number } = event.data;
    const subjectId = String(recipient_id ?? campaign_id);
    const subject = this.#subjects.get(subjectId) ?? { heard: 0, highest: 0 };
    this.#subjects.set(subjectId, {
      heard: subject.heard + 1,
      highest: Math.max(subject.highest, event.sequence),
    });
    if (event.type.startsWith('campaign.')) this.statuses[event.sequence - 1] = event.type;
    if (event.type.startsWith('call.') && this.#isNewer(String(call_id), event)) {
      this.calls.set(String(call_id), textOrNull(event.data['outcome']));
    }
    if (event.type === 'recipient.finished') this.finishes += 1;
    if (event.type === 'recipient.finished' && this.#isNewer(String(phone_number), event)) {
      this.people.set(String(phone_number), {
        reason: String(event.data['reason']),
        outcome: textOrNull(event.data['outcome']),
        attempts: Number(event.data['attempts']),
      });
    }
    return true;
  }

  /** Whether nothing is missing of what began: no gap, and no call whose end was not told. */
  get isComplete(): boolean {
    const subjects = [...this.#subjects.values()];
    return (
      subjects.every(({ heard, highest }) => heard === highest) &&
      [...this.calls.values()].every((outcome) => outcome !== null)
    );
  }

  #isNewer(what: string, { sequence }: OutdialEvent): boolean {
    if ((this.#written.get(what) ?? 0) > sequence) return false;
    this.#written.set(what, sequence);
    return true;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
