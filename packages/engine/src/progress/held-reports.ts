import { Batcher, Turns } from '@outdial/core';
import type { CampaignKey } from '@outdial/db';
import type { CallReport } from './fold-facts.ts';

interface HeldCampaign {
  key: CampaignKey;
  batcher: Batcher<CallReport, void>;
  waiting: number;
  callIds: Set<string>;
}

/** How many transactions wait at once. */
const atOnce = 2;

/**
 * Reports that wait for a change of their campaign. Each campaign has transactions of its own, and each organization one of them at a time, so that the
 * reports of others do not wait.
 */
export class HeldReports {
  readonly #write: (reports: readonly CallReport[]) => Promise<unknown>;
  readonly #turns = new Turns({ atOnce, perOrganization: 1 });
  readonly #campaigns = new Map<string, HeldCampaign>();
  readonly #byCall = new Map<string, HeldCampaign>();

  constructor(write: (reports: readonly CallReport[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** The campaign for which reports of a call wait. Later reports have to wait behind them. */
  campaignOf(callId: string): CampaignKey | null {
    return this.#byCall.get(callId)?.key ?? null;
  }

  /** Resolves when the report is written. */
  add(report: CallReport, key: CampaignKey): Promise<void> {
    const held = this.#campaigns.get(key.campaignId) ?? this.#hold(key);
    held.waiting += 1;
    held.callIds.add(report.callId);
    this.#byCall.set(report.callId, held);
    return held.batcher.add(report).finally(() => {
      held.waiting -= 1;
      if (held.waiting > 0) return;
      this.#campaigns.delete(key.campaignId);
      for (const callId of held.callIds) this.#byCall.delete(callId);
    });
  }

  /** Resolves when all reports so far are written. */
  async drain(): Promise<void> {
    await Promise.all([...this.#campaigns.values()].map(({ batcher }) => batcher.drain()));
  }

  #hold(key: CampaignKey): HeldCampaign {
    const batcher = new Batcher<CallReport, void>({
      run: (reports) =>
        this.#turns.run(key.organizationId, async () => {
          await this.#write(reports);
          return reports.map(() => undefined);
        }),
      atMost: 200,
      keyOf: (report) => report.callId,
      isOneItemsFault: () => true,
    });
    const held = { key, batcher, waiting: 0, callIds: new Set<string>() };
    this.#campaigns.set(key.campaignId, held);
    return held;
  }
}
