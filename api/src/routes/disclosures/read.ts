import { disclosures, envelope, got, rolesFrom } from '@outdial/contracts';
import { findOpeningRules } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';

export const readDisclosures = defineRoute(
  {
    method: 'get',
    path: '/api/v1/disclosures',
    operationId: 'readDisclosures',
    summary: 'Read the disclosures and recording rules',
    description:
      'Returns the texts with which calls begin and the rules for recording them, as the operator set them for your organization with `outdial disclosure`.',
    tag: 'organization',
    roles: rolesFrom('viewer'),
    response: envelope(disclosures),
  },
  async ({ organizationId }, { db }) => {
    const { texts, recordings } = await findOpeningRules(db, organizationId);
    return got({ texts: [...texts], recordings: [...recordings] });
  },
);
