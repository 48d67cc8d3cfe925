import type { ValidationErrorEntry } from '@outdial/contracts';
import { CodedError } from '@outdial/core';

/** Well-formed fields that are not acceptable, such as dates or `recipients` that are not on the list. */
export class CampaignFieldsError extends CodedError {
  readonly code = 'invalid_campaign_fields';
  readonly faults: readonly ValidationErrorEntry[];

  constructor(faults: readonly ValidationErrorEntry[]) {
    super(faults.map((fault) => `${fault.loc.slice(1).join('.')}: ${fault.msg}`).join('; '));
    this.faults = faults;
  }
}

/** The fields name another organization than the caller's. */
export class ForeignOrganizationError extends CodedError {
  readonly code = 'forbidden_organization';

  constructor() {
    super('organization_id is not the organization of this credential');
  }
}
