import { envelope, got, receiptProof, rolesFrom } from '@outdial/contracts';
import { proveReceipt as proveInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';

export const proveReceipt = defineRoute(
  {
    method: 'get',
    path: '/api/v1/receipt-proofs/{subject_id}',
    operationId: 'proveReceipt',
    summary: 'Prove that a receipt was not changed',
    description:
      'Takes the id of a call, or of a recipient that was refused. Returns the facts of the decision as they are stored now, and the path from their hash to the root of the newest seal that has them. If they were changed since, the path does not lead to the root. `examples/verify-receipt` verifies the answer and needs nothing else. Returns 404 if there is no seal yet, or if the person was erased.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    params: z.object({ subject_id: z.string() }),
    response: envelope(receiptProof),
  },
  async ({ organizationId, params }, { db }) => {
    const subjectId = resourceId(params.subject_id, 'Sealed receipt');
    const proof = orNotFound(await proveInEngine(db, { organizationId, subjectId }), 'Sealed receipt');
    const { id, path, signature, ...rest } = proof;
    return got({
      subject_id: id,
      ...rest,
      path: path.map((hash) => hash.toString('hex')),
      signature: signature.toString('base64'),
    });
  },
);
