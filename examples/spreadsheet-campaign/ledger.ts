import type { OutdialEvent } from '@outdial/client';

/** The result for a person, from the last `recipient.finished`. */
export interface PersonHeard {
  reason: string;
  outcome: string | null;
  attempts: number;
}

/**
 * The events of one campaign. An event may come twice, and events of two recipients in any order. `sequence` grows by one within a recipient and
 * within the campaign, so a gap means that an event is still to come.
 */
export class Ledger {
  /** The outcome by call id. Null while the call is in progress. */
  readonly calls = new Map<string, string | null>();
  /** By phone number. */
  readonly people = new Map<string, PersonHeard>();
  /** The campaign's status events, in order. */
  readonly statuses: string[] = [];
  /** Events `recipient.finished`: one for each person, and one more for each person who was retried. */
  finishes = 0;
  readonly #seen = new Set<string>();
  /** By recipient or campaign: the number of events, and the highest `sequence` among them. */
  readonly #subjects = new Map<string, { heard: number; highest: number }>();
  /** The `sequence` last written for each call and each number, so that an older event does not overwrite it. */
  readonly #written = new Map<string, number>();

  /** Records an event. Returns whether it is new. */
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

  /** Whether all events have come: no `sequence` is missing, and every call has ended. */
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
