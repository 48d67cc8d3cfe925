import { disclosures, envelope, got, rolesFrom } from '@outdial/contracts';
import { findOpeningRules } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';

export const readDisclosures = defineRoute(
  {
    method: 'get',
    path: '/api/v1/disclosures',
    operationId: 'readDisclosures',
    summary: 'Read what calls say first, and where they are recorded',
    description:
      'The texts and recording rules that the operator has set for the organization with `outdial disclosure`.',
    tag: 'organization',
    roles: rolesFrom('viewer'),
    response: envelope(disclosures),
  },
  async ({ organizationId }, { db }) => {
    const { texts, recordings } = await findOpeningRules(db, organizationId);
    return got({ texts: [...texts], recordings: [...recordings] });
  },
);
