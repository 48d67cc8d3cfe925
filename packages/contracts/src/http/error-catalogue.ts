/** What a program or a person should know of an error's code. */
export interface ErrorMeaning {
  status: number;
  /** Where the same is answered with another status: 503 where the whole service is at its limit, and not the organization. */
  otherStatus?: number;
  cause: string;
  remedy: string;
}

/**
 * Every code that an answer of the interface may carry. `docs/errors.md` is written from this, and every test that talks to the api holds the codes it
 * sees against it. Codes are added and never change their meaning.
 */
export const errorCatalogue = {
  malformed_json: {
    status: 400,
    cause: 'the body is not JSON',
    remedy: 'mend it at the line and column that `detail` names',
  },
  malformed_body: {
    status: 400,
    cause: 'the body ended early, or cannot be decompressed',
    remedy: 'send it again, whole; check `Content-Length` and `Content-Encoding`',
  },
  malformed_form: {
    status: 400,
    cause: 'the multipart form is broken, or has parts that are not expected',
    remedy: 'let your HTTP library build the form',
  },
  malformed_path: {
    status: 400,
    cause: 'the path is not valid percent-encoding',
    remedy: 'encode it: the plus sign of a phone number is `%2B`',
  },
  invalid_idempotency_key: {
    status: 400,
    cause: '`Idempotency-Key` is empty, too long, or holds characters that are not visible ASCII',
    remedy: 'send a UUID',
  },
  unauthorized: {
    status: 401,
    cause: 'no credential, or one that is wrong, expired or revoked',
    remedy:
      'send an API key as `X-API-Key`, or a token as `Authorization: Bearer`; `detail` says what was sent instead',
  },
  bad_signature: {
    status: 401,
    cause: 'an event of a provider was not signed with its secret, or too long ago',
    remedy: 'compare the secrets and the clocks of both sides',
  },
  forbidden_role: {
    status: 403,
    cause: 'the role of the credential does not allow the operation',
    remedy: 'use a key of a role that `detail` names',
  },
  forbidden_organization: {
    status: 403,
    cause: '`organization_id` in the body is not the organization of the credential',
    remedy: 'leave it out',
  },
  foreign_origin: {
    status: 403,
    cause: 'a page of another origin sent a request to an operators’ page',
    remedy: 'do it from the page of the service',
  },
  not_found: {
    status: 404,
    cause: 'the id names nothing in your organization, or the path is none',
    remedy: 'check the id, and whether the key is of the right organization',
  },
  file_missing: {
    status: 404,
    cause: 'the file behind the record is gone',
    remedy: 'upload it again',
  },
  method_not_allowed: {
    status: 405,
    cause: 'the path does not take this method',
    remedy: '`Allow` names those that it takes',
  },
  agent_in_use: {
    status: 409,
    cause: 'a campaign that is not over, or a call in progress, needs the agent',
    remedy: 'finish or cancel the campaign first',
  },
  agent_voice_faulty: {
    status: 409,
    cause: 'the agent’s `config.voice` is not right, or names an endpoint that is not there',
    remedy: 'mend the fields that `detail` names with `PUT /api/v1/agents/{agent_id}`',
  },
  agent_without_voice: {
    status: 409,
    cause: 'a call in a browser needs an agent that Outdial itself talks for',
    remedy: 'give the agent a `config.voice` with a `mode`; see [web calls](web-calls.md)',
  },
  agent_without_prompt: {
    status: 409,
    cause: 'the agent has no prompt to speak from',
    remedy: '`POST /api/v1/agents/{agent_id}/prompts`',
  },
  call_ended: { status: 409, cause: 'the call has ended', remedy: 'nothing is left to do' },
  call_in_progress: {
    status: 409,
    cause: 'a call to the person is in progress or about to begin',
    remedy: 'end it, or wait, and ask again',
  },
  campaign_full: {
    status: 409,
    cause: 'the campaign would have more numbers than a campaign may have',
    remedy: 'put the rest into another campaign',
  },
  campaign_not_over: {
    status: 409,
    cause: 'only drafts, finished and canceled campaigns can be deleted',
    remedy: 'cancel it first',
  },
  campaign_not_paused: {
    status: 409,
    cause: 'only a paused campaign can be updated',
    remedy: 'pause it, update it, and let it run again; its config can be changed while it runs',
  },
  campaign_over: {
    status: 409,
    cause: 'the campaign is finished or canceled, or its `end_date` has passed',
    remedy: 'move `end_date` while it is paused, retry its recipients, or make another campaign',
  },
  campaign_status: {
    status: 409,
    cause: 'the campaign cannot go from its status to this one',
    remedy: 'see the moves in [behaviour](behaviour.md#status)',
  },
  idempotency_key_in_use: {
    status: 409,
    cause: 'the first request with this `Idempotency-Key` is still running',
    remedy: 'send it again after `Retry-After`',
  },
  idempotency_key_reused: {
    status: 409,
    cause: 'the `Idempotency-Key` was used for another body',
    remedy: 'take a new key for a new request',
  },
  no_line_free: {
    status: 409,
    cause: 'all lines that the organization may use are in use; a call in a browser takes one',
    remedy: 'wait until a call has ended, or have the operator raise `max_lines`',
  },
  too_many_web_calls: {
    status: 409,
    cause: 'the organization has ten calls in browsers, as many as it may have at a time',
    remedy: 'wait until one has ended; those that no browser joins end after a minute',
  },
  voice_mode_not_carried: {
    status: 409,
    cause: 'calls in browsers are carried for agents whose `config.voice.mode` is `cascade`',
    remedy: 'use another agent, or change its mode',
  },
  key_over: {
    status: 409,
    cause: 'the API key has expired or was revoked',
    remedy: 'make another one',
  },
  last_admin: {
    status: 409,
    cause: 'the organization would be left without an admin',
    remedy: 'make another user an admin first',
  },
  never_open: {
    status: 409,
    cause: 'no window opens before the campaign ends',
    remedy: 'change the dates, the hours or `call_on_weekend`',
  },
  number_refused: {
    status: 422,
    cause: 'the organization may not call this number',
    remedy: 'the operator may allow its country or kind',
  },
  number_suppressed: {
    status: 409,
    cause: 'the number is on the list of those that are never dialed',
    remedy: 'leave it, or take it off with `DELETE /api/v1/suppressions/{phone_number}`',
  },
  outside_calling_hours: {
    status: 409,
    cause: 'the calling policy of the organization allows no call to the number at this time',
    remedy: 'call again when its hours open, which `detail` says',
  },
  caller_id_exists: {
    status: 409,
    cause: 'the organization has this caller id already',
    remedy: 'change it with `PUT /api/v1/caller-ids/{caller_id}`',
  },
  caller_id_retired: {
    status: 409,
    cause: 'the caller id was retired, which is for good',
    remedy: 'delete it and add it again, or use another number',
  },
  person_capped: {
    status: 409,
    cause: 'the person was called as often as the caps of the organization allow',
    remedy: 'call again at the instant that `detail` names',
  },
  provider_unknown: {
    status: 409,
    cause: 'the agent or the organization names a provider that is not there',
    remedy: 'correct `config.telephony.provider`; `outdial provider list` has the names',
  },
  quota_exceeded: {
    status: 409,
    cause: 'the organization has used up a quota, which `detail` names',
    remedy: 'delete or finish something, wait for the next day, or ask the operator',
  },
  recipient_done: {
    status: 409,
    cause: 'nothing more will be done about this recipient',
    remedy: 'nothing is left to withdraw',
  },
  storage_quota_exceeded: {
    status: 413,
    cause: 'the files of the organization take all the room that they may',
    remedy: 'delete items, or ask the operator',
  },
  too_many_items: {
    status: 409,
    cause: 'the knowledge base holds as many items as it may',
    remedy: 'delete items, or use another knowledge base',
  },
  too_many_webhook_endpoints: {
    status: 409,
    cause: 'the organization has as many webhook endpoints as it may',
    remedy: 'delete one first',
  },
  upload_expired: {
    status: 409,
    cause: 'the upload took longer than an upload may, and was given up',
    remedy: 'send the file again',
  },
  user_exists: {
    status: 409,
    cause: 'the organization has a user with this e-mail address',
    remedy: 'use that one, or another address',
  },
  payload_too_large: {
    status: 413,
    cause: 'the body or the file is larger than the operation takes',
    remedy: 'send less at once; lists can be added in parts',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'the body is of a type or encoding that the operation does not take',
    remedy: 'send `Content-Type: application/json`, or a multipart form where the operation takes a file',
  },
  range_not_satisfiable: {
    status: 416,
    cause: 'the recording ends before the range begins',
    remedy: '`Content-Range` has its size',
  },
  too_many_failures: {
    status: 429,
    cause: 'too many credentials from this address were wrong',
    remedy: 'mend the credential, and wait for `Retry-After`',
  },
  too_many_requests: {
    status: 429,
    cause: 'the rate of the credential or of the organization is used up',
    remedy: 'wait for `Retry-After`; `RateLimit` says what is left',
  },
  too_many_large_requests: {
    status: 429,
    otherStatus: 503,
    cause: 'large requests of the organization, or of all, are still being answered',
    remedy: 'send large requests one after the other',
  },
  too_many_long_answers: {
    status: 429,
    otherStatus: 503,
    cause: 'the organization, or the service, has as many long answers under way as it may',
    remedy: 'wait for `Retry-After`, and read long answers one after the other',
  },
  too_many_streams: {
    status: 429,
    otherStatus: 503,
    cause: 'the organization, or the service, has as many open streams as it may',
    remedy: 'close one, or read progress instead',
  },
  internal_error: {
    status: 500,
    cause: 'a fault of the service',
    remedy: 'send it again with the same `Idempotency-Key`; tell the operator the time and the path',
  },
  key_set_unavailable: {
    status: 503,
    cause: 'the keys that sign tokens cannot be read at the moment',
    remedy: 'send it again after `Retry-After`',
  },
  no_voice_process: {
    status: 503,
    cause: 'no voice process takes calls, or the api has no `VOICE_TOKEN_SECRET`',
    remedy: 'have the operator start one; see [web calls](web-calls.md)',
  },
  voice_endpoint_down: {
    status: 503,
    cause: 'no voice process reaches a model that the agent needs',
    remedy: 'ask again after `Retry-After`; give the agent `fallbacks`',
  },
  voice_processes_full: {
    status: 503,
    cause: 'all voice processes carry as many calls as they may',
    remedy: 'ask again after `Retry-After`; the operator can start another process',
  },
  recording_unavailable: {
    status: 503,
    cause: 'the provider does not give the recording at the moment',
    remedy: 'ask again after `Retry-After`',
  },
  unavailable: {
    status: 503,
    cause: 'the service cannot reach its database at the moment',
    remedy: 'send it again after `Retry-After`, with the same `Idempotency-Key`',
  },
} satisfies Record<string, ErrorMeaning>;
