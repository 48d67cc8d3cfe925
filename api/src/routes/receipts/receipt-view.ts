import type { Receipt as ReceiptView } from '@outdial/contracts';
import type { Receipt } from '@outdial/engine';
import { evidenceView } from './evidence-view.ts';

export function receiptView(found: Receipt): ReceiptView {
  const { record, refusedBy } = found;
  const { gated_at: gatedAt, outcome, phone_number: phoneNumber, disclosure } = record;
  const decision: ReceiptView['decision'] =
    gatedAt !== null ? 'dialed' : outcome === null ? 'waiting' : 'not_dialed';
  return {
    call_id: record.call_id,
    agent_id: record.agent_id,
    campaign_id: record.campaign_id,
    recipient_id: record.recipient_id,
    attempt: record.attempt,
    phone_number: phoneNumber === '' ? null : phoneNumber,
    from_phone: record.from_phone,
    outcome,
    decision,
    refused_by: refusedBy,
    decided_at: gatedAt?.toISOString() ?? null,
    ...evidenceView({ ...record, ...found, at: gatedAt }),
    release:
      record.release === null
        ? null
        : {
            id: record.release_id ?? '',
            time_zones: record.release.time_zones,
            area_codes: record.release.area_codes,
          },
    attestation: record.attestation,
    prompt: { ...record.prompt, created_at: new Date(record.prompt.created_at).toISOString() },
    disclosure: disclosure && {
      text: disclosure.text,
      language: disclosure.language,
      heard_at: record.disclosed_at,
    },
    recording: record.recording,
    as_of: found.asOf.toISOString(),
  };
}
