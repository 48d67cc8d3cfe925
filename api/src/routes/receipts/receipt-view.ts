import type { Receipt as ReceiptView } from '@outdial/contracts';
import type { Receipt } from '@outdial/engine';
import { evidenceView } from './evidence-view.ts';

export function receiptView(found: Receipt): ReceiptView {
  const { record, conditions, refusedBy, consent, suppression, refusals } = found;
  const { gatedAt, outcome, phoneNumber, grounds, personCheck, scrubCheck, disclosure } = record;
  const decision: ReceiptView['decision'] =
    gatedAt !== null ? 'dialed' : outcome === null ? 'waiting' : 'not_dialed';
  return {
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
  };
}
