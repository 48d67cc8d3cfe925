import type { ValidationErrorEntry } from '@outdial/contracts';
import {
  campaignMoves,
  campaignStatuses,
  CodedError,
  ConflictError,
  isFinalCampaignStatus,
  type CampaignStatus,
} from '@outdial/core';

/** Well-formed fields that are not acceptable, such as dates or `recipients` that are not on the list. */
export class CampaignFieldsError extends CodedError {
  readonly code = 'invalid_campaign_fields';
  readonly faults: readonly ValidationErrorEntry[];

  constructor(faults: readonly ValidationErrorEntry[]) {
    super(faults.map((fault) => `${fault.loc.slice(1).join('.')}: ${fault.msg}`).join('; '));
    this.faults = faults;
  }
}

const inWords = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The campaign cannot change to this status. Names those to which it can. */
export function refusedMove(from: CampaignStatus, to: CampaignStatus): ConflictError {
  const next = campaignMoves[from];
  const instead =
    next.length === 0
      ? 'this status is final; create another campaign'
      : `it can become ${inWords.format(next)}`;
  return new ConflictError('campaign_status', `A ${from} campaign cannot become ${to}: ${instead}`);
}

/** The campaign is over, and only another one can be changed like this. Names the statuses that allow it. */
export function requiresUnfinished(code: 'campaign_status' | 'campaign_over', what: string): ConflictError {
  const open = campaignStatuses.filter((status) => !isFinalCampaignStatus(status));
  return new ConflictError(code, `${what}: the campaign should be ${inWords.format(open)}`);
}

/** The fields name another organization than the caller's. */
export class ForeignOrganizationError extends CodedError {
  readonly code = 'forbidden_organization';

  constructor() {
    super('organization_id is not the organization of this credential');
  }
}
