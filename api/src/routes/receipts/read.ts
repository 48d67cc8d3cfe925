import { envelope, got, receipt, type Receipt as ReceiptView, rolesFrom } from '@outdial/contracts';
import { readReceipt as readFromEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { evidenceView } from './evidence-view.ts';

export const readReceipt = defineRoute(
  {
    method: 'get',
    path: '/api/v1/calls/{call_id}/receipt',
    operationId: 'readReceipt',
    summary: 'Read why a call was allowed',
    description:
      'Returns each condition of the last check before the dial with its verdict, and the facts behind it: the rules of that time with version and citation, the time zones considered, the window, the caps with their counts, and the consent. The receipt is written together with the call and never changes.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    params: z.object({ call_id: z.string() }),
    response: envelope(receipt),
  },
  async ({ organizationId, params }, { db }) => {
    const callId = resourceId(params.call_id, 'Call');
    const found = orNotFound(await readFromEngine(db, { organizationId, callId }), 'Call');
    const { record, conditions, refusedBy, consent, suppression, refusals } = found;
    const { gatedAt, outcome, phoneNumber, grounds, personCheck, scrubCheck, disclosure } = record;
    const decision: ReceiptView['decision'] =
      gatedAt !== null ? 'dialed' : outcome === null ? 'waiting' : 'not_dialed';
    return got({
      call_id: record.callId,
      agent_id: record.agentId,
      campaign_id: record.campaignId,
      recipient_id: record.recipientId,
      attempt: record.attempt,
      phone_number: phoneNumber === '' ? null : phoneNumber,
      from_phone: record.fromPhone,
      outcome,
      decision,
      refused_by: refusedBy,
      decided_at: gatedAt?.toISOString() ?? null,
      ...evidenceView({
        at: gatedAt,
        conditions,
        grounds,
        personCheck,
        consent,
        scrubCheck,
        scrubVersions: record.scrubVersions,
        suppression,
        refusals,
      }),
      release:
        record.release === null
          ? null
          : {
              id: record.releaseId ?? '',
              time_zones: record.release.time_zones,
              area_codes: record.release.area_codes,
            },
      attestation: record.attestation,
      prompt: { ...record.prompt, created_at: new Date(record.prompt.created_at).toISOString() },
      disclosure: disclosure && {
        text: disclosure.text,
        language: disclosure.language,
        heard_at: record.disclosedAt,
      },
      recording: record.recording,
      as_of: found.asOf.toISOString(),
    });
  },
);
