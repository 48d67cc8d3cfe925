export { createFirstOrganization } from './create-first-organization.ts';
export { findOrganizationDetails, type OrganizationDetails, type Retention } from './find-organization.ts';
export { createOrganization, type NewOrganization } from './create-organization.ts';
export {
  countCallsToday,
  countCampaignsAndRecipients,
  findOrganizationLimits,
  type OrganizationLimits,
  requestsPerMinute,
} from './organization-limits.ts';
export { findCallingPolicy, lockCallingPolicy } from './calling-policy.ts';
export { findCarrierInstructionRules } from './carrier-instruction-rules.ts';
export { organizationExists } from './organization-exists.ts';
export { findOrganizations, type OrganizationRow } from './find-organizations.ts';
export { type OrganizationChange, updateOrganization } from './update-organization.ts';
export { lockQuota, readCallsLeft } from './quota.ts';
