export { createOrganization, type NewOrganization } from './create-organization.ts';
export { organizationExists } from './organization-exists.ts';
export { type OrganizationChange, updateOrganization } from './update-organization.ts';
