/** The description of an error code for programs and people. */
export interface ErrorMeaning {
  status: number;
  /** Another status for the same error: 503 if the whole service has reached its limit, not the organization. */
  otherStatus?: number;
  cause: string;
  remedy: string;
}

/**
 * Every error code of the interface. `docs/errors.md` is generated from it, and every test of the api checks the codes that it sees against
 * it. Codes may be added, but never change their meaning.
 */
export const errorCatalogue = {
  malformed_json: {
    status: 400,
    cause: 'the body is not JSON',
    remedy: 'correct it at the line and column in `detail`',
  },
  repeated_json_name: {
    status: 400,
    cause: 'an object in the body has a name twice, so one of the two values would be lost',
    remedy: 'send each name once; `detail` has the name and its place',
  },
  malformed_body: {
    status: 400,
    cause: 'the body ended early, or cannot be decompressed',
    remedy: 'send the whole body again; check `Content-Length` and `Content-Encoding`',
  },
  malformed_form: {
    status: 400,
    cause: 'the multipart form is malformed, or has unexpected parts, or one twice',
    remedy: 'let your HTTP library build the form',
  },
  malformed_path: {
    status: 400,
    cause: 'the path is not valid percent-encoding',
    remedy: 'encode it: the plus sign of a phone number is `%2B`',
  },
  invalid_idempotency_key: {
    status: 400,
    cause: '`Idempotency-Key` is empty, too long, or contains characters other than visible ASCII',
    remedy: 'send a UUID',
  },
  unauthorized: {
    status: 401,
    cause: 'the credential is missing, wrong, expired or revoked',
    remedy:
      'send an API key as `X-API-Key`, or a token as `Authorization: Bearer`; `detail` says what was sent instead',
  },
  bad_signature: {
    status: 401,
    cause: 'a provider event was not signed with the secret of the provider, or was signed too long ago',
    remedy: 'compare the secrets and the clocks of both sides',
  },
  forbidden_role: {
    status: 403,
    cause: 'the role of the credential does not permit the operation',
    remedy: 'use a key with one of the roles in `detail`',
  },
  forbidden_organization: {
    status: 403,
    cause: '`organization_id` in the body is not the organization of the credential',
    remedy: 'leave it out',
  },
  foreign_origin: {
    status: 403,
    cause: 'a page of another origin sent a request to a page for operators',
    remedy: 'send the request from a page of this service',
  },
  not_found: {
    status: 404,
    cause: 'the id does not exist in your organization, or the path does not exist',
    remedy: 'check the id, and that the key belongs to the right organization',
  },
  file_missing: {
    status: 404,
    cause: 'the file behind the record is gone',
    remedy: 'upload it again',
  },
  method_not_allowed: {
    status: 405,
    cause: 'the path does not support this method',
    remedy: 'use a method in the `Allow` header',
  },
  agent_in_use: {
    status: 409,
    cause: 'an unfinished campaign or a call in progress uses the agent',
    remedy: 'finish or cancel the campaign first',
  },
  agent_voice_faulty: {
    status: 409,
    cause: 'the `config.voice` of the agent is invalid, or names an endpoint that does not exist',
    remedy: 'correct the fields in `detail` with `PUT /api/v1/agents/{agent_id}`',
  },
  agent_without_voice: {
    status: 409,
    cause: 'a web call needs an agent whose voice runtime is Outdial',
    remedy: 'give the agent a `config.voice` with a `mode`; see [web calls](web-calls.md)',
  },
  agent_without_prompt: {
    status: 409,
    cause: 'the agent has no prompt',
    remedy: '`POST /api/v1/agents/{agent_id}/prompts`',
  },
  rules_unusable: {
    status: 409,
    cause:
      "the operator's [rules of law](compliance.md#rules-of-your-own) do not fit the release, so no call is made; `detail` names the field",
    remedy: 'the operator imports rules that fit; calls then continue by themselves',
  },
  voice_not_allowed: {
    status: 409,
    cause:
      'the operator does not allow what the `config.telephony.voice` of the agent has the carrier do with an answered call, or its `from_phone` is the number of another organization; `detail` names the field',
    remedy:
      'remove it, or for `voice` ask the operator for `outdial org set --voice-hosts` or `--own-twiml`; see [Twilio](twilio.md#answered-calls)',
  },
  call_ended: { status: 409, cause: 'the call has already ended', remedy: 'none is needed' },
  call_in_progress: {
    status: 409,
    cause: 'a call to the person is in progress or about to begin',
    remedy: 'hang up the call or wait for its end, then retry',
  },
  campaign_full: {
    status: 409,
    cause: 'the campaign would exceed the maximum number of recipients; those withdrawn from its list count',
    remedy: 'create another campaign for the rest',
  },
  campaign_not_over: {
    status: 409,
    cause: 'only drafts, finished and canceled campaigns can be deleted',
    remedy: 'cancel it first',
  },
  campaign_not_paused: {
    status: 409,
    cause: 'only a paused campaign can be updated',
    remedy: 'pause it, update it, and set it running again; its config can be changed while it runs',
  },
  campaign_over: {
    status: 409,
    cause: 'the campaign has finished, was canceled, or its `end_date` has passed',
    remedy: 'move `end_date` while it is paused, retry its recipients, or create another campaign',
  },
  campaign_status: {
    status: 409,
    cause: 'the campaign cannot change from its current status to this one',
    remedy: 'see the transitions in [behaviour](behaviour.md#status)',
  },
  idempotency_key_in_use: {
    status: 409,
    cause: 'the first request with this `Idempotency-Key` is still running',
    remedy: 'retry after `Retry-After`',
  },
  idempotency_key_reused: {
    status: 409,
    cause: 'the `Idempotency-Key` was used for another body',
    remedy: 'use a new key for a new request',
  },
  no_line_free: {
    status: 409,
    cause: 'all lines of the organization are in use, and a web call needs one',
    remedy: 'wait for the end of a call, or ask the operator to raise `max_lines`',
  },
  too_many_web_calls: {
    status: 409,
    cause: 'the organization has ten web calls in progress, which is the maximum',
    remedy: 'wait until one ends; calls that no browser joins end after a minute',
  },
  voice_mode_not_carried: {
    status: 409,
    cause: '`relay` mode needs a carrier that listens and speaks, and a web call has none',
    remedy: 'use another agent, or change the mode of this one',
  },
  key_over: {
    status: 409,
    cause: 'the API key has expired or was revoked',
    remedy: 'create another one',
  },
  last_admin: {
    status: 409,
    cause: 'the change would leave the organization without an admin',
    remedy: 'make another user an admin first',
  },
  never_open: {
    status: 409,
    cause: 'no window opens before the campaign ends, or in the calling hours of its recipients',
    remedy: 'change the dates, the hours or `call_on_weekend`',
  },
  number_suppressed: {
    status: 409,
    cause: 'the number is on the suppression list',
    remedy: 'do not call it, or remove it from the list with `DELETE /api/v1/suppressions/{phone_number}`',
  },
  number_unchecked: {
    status: 409,
    cause:
      'the organization calls only numbers that were recently found not to be [reassigned](compliance.md#ported-and-reassigned-numbers)',
    remedy: 'query the registry and record the answer with `POST /api/v1/number-queries/import`',
  },
  outside_calling_hours: {
    status: 409,
    cause: 'the calling policy of the organization does not allow a call to the number at this time',
    remedy: 'call again when the calling hours open; `detail` has the time',
  },
  caller_id_exists: {
    status: 409,
    cause: 'the organization already has this caller id',
    remedy: 'update it with `PUT /api/v1/caller-ids/{caller_id}`',
  },
  caller_id_taken: {
    status: 409,
    cause: 'the number cannot be added: a number belongs to one organization of an installation',
    remedy: 'check the number; if it is yours, ask the operator of the installation',
  },
  caller_id_pending: {
    status: 409,
    cause: 'the operator has not confirmed the caller id, so its state cannot change',
    remedy: 'ask the operator for `outdial caller-id confirm`, or delete the caller id',
  },
  caller_id_retired: {
    status: 409,
    cause: 'the caller id was retired, which cannot be undone',
    remedy: 'delete it and add it again, or use another number',
  },
  no_consent: {
    status: 409,
    cause:
      'under `strict`, the rules of the number’s place ask for a consent to calls of this purpose, and none is in force',
    remedy:
      'record the consent of the person, or name the `purpose` of the call; `detail` has the rules and the kinds of consent',
  },
  person_capped: {
    status: 409,
    cause: 'the person has been called as often as the caps of the organization allow',
    remedy: 'call again at the time in `detail`',
  },
  provider_unknown: {
    status: 409,
    cause: 'the agent or the organization names a provider that does not exist',
    remedy: 'correct `config.telephony.provider`; `outdial provider list` has the names',
  },
  quota_exceeded: {
    status: 409,
    cause: 'the organization has used up the quota that `detail` names',
    remedy: 'delete or finish resources, wait for the next day, or ask the operator for a higher quota',
  },
  recipient_done: {
    status: 409,
    cause: 'the recipient is already finished',
    remedy: 'none is needed',
  },
  changed_meanwhile: {
    status: 412,
    cause: 'the resource has changed since it had the `ETag` in `If-Match`',
    remedy: 'read it again, and decide whether your change still fits',
  },
  storage_quota_exceeded: {
    status: 413,
    cause: 'the files of the organization have reached their quota',
    remedy: 'delete items, or ask the operator for a higher quota',
  },
  too_many_items: {
    status: 409,
    cause: 'the knowledge base has the maximum number of items',
    remedy: 'delete items, or use another knowledge base',
  },
  too_many_webhook_endpoints: {
    status: 409,
    cause: 'the organization has the maximum number of webhook endpoints',
    remedy: 'delete one first',
  },
  upload_expired: {
    status: 409,
    cause: 'the upload took too long and was discarded',
    remedy: 'send the file again',
  },
  user_exists: {
    status: 409,
    cause: 'the organization already has a user with this email address',
    remedy: 'use the existing user, or another address',
  },
  body_too_slow: {
    status: 408,
    cause:
      'the body paused for ten seconds, or came at less than 64 KB a second; the connection is closed after the answer',
    remedy: 'prepare the body before you send the request',
  },
  payload_too_large: {
    status: 413,
    cause: 'the body or the file exceeds the limit of the operation',
    remedy: 'send less at a time; lists can be added in parts',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'the operation does not accept this type or encoding of the body',
    remedy: 'send `Content-Type: application/json`, or a multipart form if the operation accepts a file',
  },
  range_not_satisfiable: {
    status: 416,
    cause: 'the recording ends before the range begins',
    remedy: 'request a range within the size in `Content-Range`',
  },
  validation: {
    status: 422,
    cause: 'the request has invalid values',
    remedy: 'correct each fault in `detail`, which is a list here',
  },
  too_many_failures: {
    status: 429,
    cause: 'too many requests with invalid credentials came from this address',
    remedy: 'correct the credential, and retry after `Retry-After`',
  },
  too_many_requests: {
    status: 429,
    cause: 'the credential or the organization has exceeded its rate limit',
    remedy: 'retry after `Retry-After`; `RateLimit` shows how many requests are left',
  },
  too_many_large_requests: {
    status: 429,
    otherStatus: 503,
    cause: 'the organization, or the service, has the maximum number of large requests in progress',
    remedy: 'send large requests one at a time',
  },
  too_many_long_answers: {
    status: 429,
    otherStatus: 503,
    cause: 'the organization, or the service, has the maximum number of long responses in progress',
    remedy: 'retry after `Retry-After`, and request long responses one at a time',
  },
  too_many_at_once: {
    status: 429,
    cause:
      "the organization's requests in progress use its share of the database, and this one waited too long for them",
    remedy: 'retry after `Retry-After`, and send fewer requests at the same time',
  },
  too_many_streams: {
    status: 429,
    otherStatus: 503,
    cause: 'the organization, or the service, has the maximum number of open streams',
    remedy: 'close one, or read the progress instead',
  },
  internal_error: {
    status: 500,
    cause: 'an internal error of the service',
    remedy: 'retry with the same `Idempotency-Key`; give the operator the time and the path',
  },
  key_set_unavailable: {
    status: 503,
    cause: 'the keys for verifying tokens are temporarily unavailable',
    remedy: 'retry after `Retry-After`',
  },
  no_voice_process: {
    status: 503,
    cause: 'no voice process accepts calls, or the api has no `VOICE_TOKEN_SECRET`',
    remedy: 'ask the operator to start one; see [web calls](web-calls.md)',
  },
  voice_endpoint_down: {
    status: 503,
    cause: 'no voice process can reach a model that the agent needs',
    remedy: 'retry after `Retry-After`; give the agent `fallbacks`',
  },
  voice_processes_full: {
    status: 503,
    cause: 'all voice processes are at their capacity',
    remedy: 'retry after `Retry-After`; the operator can start another process',
  },
  recording_unavailable: {
    status: 503,
    cause: 'the recording is temporarily unavailable from the provider',
    remedy: 'retry after `Retry-After`',
  },
  too_slow: {
    status: 503,
    cause:
      'a read took longer than a second for a search, or a few seconds for anything else, and was stopped',
    remedy: 'ask for less, such as a smaller page or a shorter question, or retry after `Retry-After`',
  },
  erased_meanwhile: {
    status: 503,
    cause: 'a person of the organization was erased while a read took more than half a second',
    remedy: 'retry after `Retry-After`',
  },
  unavailable: {
    status: 503,
    cause: 'the service temporarily cannot reach its database',
    remedy: 'retry after `Retry-After`, with the same `Idempotency-Key`',
  },
} satisfies Record<string, ErrorMeaning>;
