import {
  addedRecipients,
  call,
  campaign,
  campaignConfig,
  campaignProgress,
  campaignRefusals,
  consentProof,
  cursorList,
  forecast,
  personDefense,
  personExport,
  personNumberImport,
  receipt,
  receiptProof,
  receiptSeal,
  recipient,
  recipientExplanation,
  retriedRecipients,
  suppression,
  type AddedRecipients,
  type Call,
  type Campaign,
  type CampaignConfig,
  type CampaignConfigBody,
  type CampaignProgress,
  type CampaignRefusals,
  type ConsentProof,
  type CreateCampaignBody,
  type ForecastAnswer,
  type MakeCallBody,
  type PersonDefense,
  type Receipt,
  type ReceiptProof,
  type ReceiptSeal,
  type Recipient,
  type RecipientExplanation,
  type RetriedRecipients,
  type Suppression,
  type UpdateCampaignBody,
} from '@outdial/contracts';
import type { CampaignStatus, Outcome } from '@outdial/core';
import { z } from 'zod';

/** An answer that is not a 2xx. */
export class RefusedRequestError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly detail: unknown;

  constructor(request: string, status: number, body: { code?: string | undefined; detail?: unknown }) {
    super(`${request}: ${status} ${body.code ?? ''} ${JSON.stringify(body.detail)}`);
    this.name = 'RefusedRequestError';
    this.status = status;
    this.code = body.code;
    this.detail = body.detail;
  }
}

const refusal = z.looseObject({ code: z.string().optional(), detail: z.unknown() });
const dialing = z.object({ next_dial_at: z.iso.datetime().nullable(), waiting_for: z.string().nullable() });

/** When a running campaign dials next, and why it does not dial now. */
export interface Dialing {
  nextDialAt: Date | null;
  waitingFor: string | null;
}

/** A client of the API for one user, over real HTTP. Parses answers with the contract's schemas. */
export class OutdialClient {
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  createCampaign(body: CreateCampaignBody): Promise<Campaign> {
    return this.#data('POST', '/campaigns', campaign, body);
  }

  readProgress(campaignId: string): Promise<CampaignProgress> {
    return this.#data('GET', `/campaigns/${campaignId}/progress`, campaignProgress);
  }

  proveConsent(phoneNumber: string): Promise<ConsentProof> {
    return this.#data('GET', `/people/${encodeURIComponent(phoneNumber)}/consents`, consentProof);
  }

  readReceipt(callId: string): Promise<Receipt> {
    return this.#data('GET', `/calls/${callId}/receipt`, receipt);
  }

  defendPerson(phoneNumber: string): Promise<PersonDefense> {
    return this.#data('GET', `/people/${encodeURIComponent(phoneNumber)}/defense`, personDefense);
  }

  exportPerson(phoneNumber: string) {
    return this.#data('GET', `/people/${encodeURIComponent(phoneNumber)}/export`, personExport);
  }

  suppress(phoneNumber: string, asked: { channel?: string; words?: string }): Promise<Suppression> {
    return this.#data('POST', '/suppressions', suppression, { phone_number: phoneNumber, ...asked });
  }

  importPersonNumbers(items: Array<{ phone_number: string; person_ref: string }>) {
    return this.#data('POST', '/people/import', personNumberImport, { items });
  }

  listReceiptSeals(): Promise<{ items: ReceiptSeal[] }> {
    return this.#data('GET', '/receipt-seals', cursorList(receiptSeal));
  }

  proveReceipt(subjectId: string): Promise<ReceiptProof> {
    return this.#data('GET', `/receipt-proofs/${subjectId}`, receiptProof);
  }

  explainRecipient(campaignId: string, recipientId: string): Promise<RecipientExplanation> {
    return this.#data(
      'GET',
      `/campaigns/${campaignId}/recipients/${recipientId}/explain`,
      recipientExplanation,
    );
  }

  forecast(campaignId: string, body: object = {}): Promise<ForecastAnswer> {
    return this.#data('POST', `/campaigns/${campaignId}/forecast`, forecast, body);
  }

  readCampaign(campaignId: string): Promise<Campaign> {
    return this.#data('GET', `/campaigns/${campaignId}`, campaign);
  }

  /** `meta` of a running campaign; null while it does not run. */
  async readDialing(campaignId: string): Promise<Dialing | null> {
    const answer = z
      .object({ meta: z.union([dialing, z.strictObject({})]) })
      .parse(await this.#json('GET', `/campaigns/${campaignId}`));
    if (!('next_dial_at' in answer.meta)) return null;
    const { next_dial_at: at, waiting_for: waitingFor } = answer.meta;
    return { nextDialAt: at === null ? null : new Date(at), waitingFor };
  }

  updateCampaign(campaignId: string, body: UpdateCampaignBody): Promise<Campaign> {
    return this.#data('PUT', `/campaigns/${campaignId}`, campaign, body);
  }

  setStatus(campaignId: string, status: CampaignStatus): Promise<Campaign> {
    return this.#data('PUT', `/campaigns/${campaignId}/status`, campaign, { status });
  }

  /** Cancels a campaign and ends its calls in progress. */
  cancelAndHangUp(campaignId: string): Promise<Campaign> {
    return this.#data('PUT', `/campaigns/${campaignId}/status`, campaign, {
      status: 'canceled',
      hang_up: true,
    });
  }

  addRecipients(
    campaignId: string,
    people: ReadonlyArray<string | { phone_number: string; region?: string; timezone?: string }>,
  ): Promise<AddedRecipients> {
    const recipients = people.map((one) => (typeof one === 'string' ? { phone_number: one } : one));
    return this.#data('POST', `/campaigns/${campaignId}/recipients`, addedRecipients, { recipients });
  }

  retryRecipients(campaignId: string, outcomes: readonly Outcome[]): Promise<RetriedRecipients> {
    return this.#data('POST', `/campaigns/${campaignId}/recipients/retry`, retriedRecipients, { outcomes });
  }

  withdrawRecipient(
    campaignId: string,
    recipientId: string,
    { hangUp }: { hangUp: boolean },
  ): Promise<Recipient> {
    return this.#data(
      'DELETE',
      `/campaigns/${campaignId}/recipients/${recipientId}?hang_up=${hangUp}`,
      recipient,
    );
  }

  setConfig(campaignId: string, body: CampaignConfigBody): Promise<CampaignConfig> {
    return this.#data('PUT', `/campaigns/${campaignId}/config`, campaignConfig, body);
  }

  makeCall(agentId: string, body: MakeCallBody): Promise<Call> {
    return this.#data('POST', `/agents/${agentId}/call`, call, body);
  }

  readRefusals(campaignId: string): Promise<CampaignRefusals> {
    return this.#data('GET', `/campaigns/${campaignId}/refusals`, campaignRefusals);
  }

  readCall(callId: string): Promise<Call> {
    return this.#data('GET', `/calls/${callId}`, call);
  }

  hangUp(callId: string): Promise<Call> {
    return this.#data('POST', `/calls/${callId}/hang-up`, call);
  }

  /** The audio behind a call's `recording_url`. */
  async readRecording(recordingUrl: string): Promise<{ contentType: string | null; bytes: Buffer }> {
    const response = await fetch(recordingUrl, { headers: { 'X-API-Key': this.#key } });
    if (!response.ok) throw new RefusedRequestError(recordingUrl, response.status, {});
    return {
      contentType: response.headers.get('content-type'),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }

  async #data<Schema extends z.ZodType>(
    method: string,
    path: string,
    schema: Schema,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const answer = z.object({ data: z.unknown() }).parse(await this.#json(method, path, body));
    return schema.parse(answer.data);
  }

  async #json(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#base}/api/v1${path}`, {
      method,
      headers: {
        'X-API-Key': this.#key,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json: unknown = await response.json();
    if (response.ok) return json;
    throw new RefusedRequestError(`${method} ${path}`, response.status, refusal.parse(json));
  }
}
