export const campaignStatuses = ['draft', 'paused', 'running', 'finished', 'canceled'] as const;

export type CampaignStatus = (typeof campaignStatuses)[number];

export const campaignMoves: Readonly<Record<CampaignStatus, readonly CampaignStatus[]>> = {
  draft: ['paused', 'running', 'canceled'],
  paused: ['draft', 'running', 'finished', 'canceled'],
  running: ['paused', 'finished', 'canceled'],
  finished: [],
  canceled: [],
};

export type CampaignMove =
  | { kind: 'move' }
  | { kind: 'same' }
  | { kind: 'refused'; reason: 'final_status' | 'not_a_move' };

/**
 * Decides whether a campaign may change its status. Setting the current status again is accepted and changes nothing, even for a final one,
 * so a repeated request is harmless. The caller checks whether `end_date` has passed, because that needs the clock.
 */
export function decideCampaignMove(from: CampaignStatus, to: CampaignStatus): CampaignMove {
  if (from === to) return { kind: 'same' };
  if (campaignMoves[from].includes(to)) return { kind: 'move' };
  return { kind: 'refused', reason: isFinalCampaignStatus(from) ? 'final_status' : 'not_a_move' };
}

export function isFinalCampaignStatus(status: CampaignStatus): boolean {
  return campaignMoves[status].length === 0;
}

/** The states of a recipient in the API. Every recipient of a campaign is in exactly one. */
export const recipientStates = [
  'waiting',
  'retrying',
  'in_call',
  'reached',
  'unreached',
  'suppressed',
  'withdrawn',
] as const;

export type PublicRecipientState = (typeof recipientStates)[number];
