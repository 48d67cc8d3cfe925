// Generated from /openapi.json. Do not edit.
export interface paths {
    "/api/v1/agents/{agent_id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an outbound call
         * @description Returns at once with status `init`; the call is placed as soon as a line is free, before calls of campaigns. A call without a line in time ends as `other` with `meta.outcome` `canceled`.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["makeCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/web-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a conversation in the browser
         * @description Answers with a websocket and a token for one connection within a minute; pass both to the page, never the API key. The call has a record like any other, with `provider` `web`, and counts for the quota and the lines of the organization; at most ten at a time. A call that no browser joins in time ends as `other` with `meta.outcome` `canceled`. 409 where the agent cannot talk or a limit is reached, 503 where no voice process takes the call.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["makeWebCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the organization's agents, newest first */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description The agent can make calls once it has a prompt.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an agent with its skills and its latest prompt */
        get: operations["readAgent"];
        /**
         * Update an agent
         * @description Replaces only the fields in the body. Calls in progress do not change.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["updateAgent"];
        post?: never;
        /**
         * Delete an agent
         * @description Finished campaigns and past calls keep their records. 409 while an unfinished campaign or a call in progress needs the agent.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent's calls
         * @description Returns the newest 100 unless `page` and `size` are given.
         */
        get: operations["listAgentCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of an agent's prompt, newest first */
        get: operations["listPrompts"];
        put?: never;
        /**
         * Add a version of an agent's prompt
         * @description The prompt becomes the `latest_prompt` of the agent. Calls keep the version that they were made with.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["addPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's calls, newest first
         * @description `from` and `to` refer to the time of the call.
         */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one call */
        get: operations["readCall"];
        /**
         * Write notes, comments, a quality and tags to a call
         * @description Replaces only the fields in the body, also while the call is in progress. `tags` replaces all tags of the call; new tags are created.
         *
         *     Needs one of the roles member, manager, admin.
         */
        put: operations["annotateCall"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{call_id}/hang-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hang up a call
         * @description Returns the current call at once; a worker ends it at its carrier within moments. A call that still waits for a line ends at once. 409 if the call has already ended.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["hangUpCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{call_id}/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a call's recording
         * @description Returns the audio itself. 404 while there is none.
         */
        get: operations["readCallRecording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tags of the organization's calls, newest first */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's campaigns, newest first
         * @description `meta.campaigns` has `{next_dial_at, waiting_for}` for each running campaign of the page, by its id. With `fields=summary` `meta.progress` has the progress of each campaign of the page, by its id.
         */
        get: operations["listCampaigns"];
        put?: never;
        /**
         * Create a campaign
         * @description A campaign that is to run at once (`status` `running`) needs one of the roles manager, admin. A number that `additional_params.recipients` names must be in `phone_numbers`.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a campaign
         * @description While the campaign runs, `meta` has its next dial and the reason for waiting: `{next_dial_at, waiting_for}`. A summary has the same cost for lists of any length, and `meta.progress`.
         */
        get: operations["readCampaign"];
        /**
         * Update a paused campaign
         * @description Replaces only the fields in the body. Null changes nothing, except that `end_date` null makes the campaign open-ended. New `phone_numbers` add and withdraw recipients; numbers that stay keep their history.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["updateCampaign"];
        post?: never;
        /**
         * Delete a campaign that is a draft, finished or canceled
         * @description The campaign and its recipients disappear at once. Records of calls stay. In any other status the answer is 409: cancel the campaign first.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["deleteCampaign"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the status of a campaign
         * @description draft → paused, running, canceled; paused → draft, running, finished, canceled; running → paused, finished, canceled. Setting the current status again changes nothing. Calls in progress continue unless `hang_up` ends them.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["setCampaignStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the config of a campaign
         * @description Unset fields have their defaults.
         */
        get: operations["readCampaignConfig"];
        /**
         * Update the config of a campaign, or create it
         * @description Changes only the fields in the body, also while the campaign runs. In a new config, the other fields have their defaults.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["setCampaignConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a campaign
         * @description Counts of its recipients and, while it runs but does not dial, the reason for waiting. Costs the same for lists of any length.
         */
        get: operations["readCampaignProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recipients of a campaign, newest first
         * @description The list includes recipients that were withdrawn or never dialed, as `withdrawn`.
         */
        get: operations["listRecipients"];
        put?: never;
        /**
         * Add recipients to a campaign
         * @description Up to 10,000, in any status that is not final, also while the campaign runs. A faulty recipient is refused without the others. A withdrawn number returns to the list; a number that is already on it stays unchanged.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["addRecipients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw one recipient
         * @description The recipient is not called again. A call in progress continues unless `hang_up` is true. A recipient that is already finished is 409.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["withdrawRecipient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/recipients/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry the recipients that were not reached
         * @description Gives one more round to the `unreached` recipients whose last call had one of the outcomes. A finished campaign becomes `paused` with them; a canceled one is 409.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["retryRecipients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forecast how a campaign will go
         * @description Simulates the campaign from now on with the dialing rules, on a virtual clock, and changes nothing. Returns the dials by day and zone, the skipped recipients and why, the end, the hold-ups, and the effect of twice the lines. Answer rates are those of the newest calls of the organization. A campaign that is over is 409.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["forecastCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls of a campaign, newest first
         * @description `from` and `to` refer to the time of the call.
         */
        get: operations["listCampaignCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the recipients or the calls of a campaign
         * @description Streamed, newest first, every row with the fields of its list; objects are JSON in their cell. Cells that a spreadsheet would take for a formula begin with an apostrophe; phone numbers in E.164 stay as they are.
         */
        get: operations["exportCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a campaign from a spreadsheet
         * @description The first line of the file names its columns. One named phone, phone_number, to or number has the numbers, one named timezone the time zones; every other column has values for the prompt, under its name. `mapping` says otherwise. Rows that cannot be taken are left out and named in `refused`.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["importCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a campaign by server-sent events
         * @description `progress` has what GET …/progress answers, at once and then whenever it has changed, at most once a second. `call` has an event as of GET /events for each change of a call, with its id: `Last-Event-ID` goes on behind it. A stream ends after five minutes; an EventSource connects again. A credential may have ten open.
         */
        get: operations["streamCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/knowledge-base": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List knowledge bases
         * @description Newest first. Returns all unless `page` or `size` is given.
         */
        get: operations["listKnowledgeBases"];
        put?: never;
        /**
         * Create a knowledge base
         * @description Needs one of the roles member, manager, admin.
         */
        post: operations["createKnowledgeBase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/knowledge-base/{kb_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a knowledge base */
        get: operations["readKnowledgeBase"];
        /**
         * Update a knowledge base
         * @description Needs one of the roles member, manager, admin.
         */
        put: operations["updateKnowledgeBase"];
        post?: never;
        /**
         * Delete a knowledge base and its items
         * @description Needs one of the roles member, manager, admin.
         */
        delete: operations["deleteKnowledgeBase"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/knowledge-base/{kb_id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items
         * @description Newest first. Returns all unless `page` or `size` is given.
         */
        get: operations["listKnowledgeBaseItems"];
        put?: never;
        /**
         * Upload an item
         * @description The content decides the file type. The text is extracted in the background.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["uploadKnowledgeBaseItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/knowledge-base/{kb_id}/items/{item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an item
         * @description Includes the text, with pages separated by form feeds.
         */
        get: operations["readKnowledgeBaseItem"];
        /**
         * Update an item
         * @description Replaces the file, the name or the notes that are given. A new file is extracted again; the item is `pending` until then.
         *
         *     Needs one of the roles member, manager, admin.
         */
        put: operations["updateKnowledgeBaseItem"];
        post?: never;
        /**
         * Delete an item
         * @description Also deletes the text, unless another item of the knowledge base has the same content. Returns the deleted item.
         *
         *     Needs one of the roles member, manager, admin.
         */
        delete: operations["deleteKnowledgeBaseItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/knowledge-base/{kb_id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search a knowledge base
         * @description Returns the best passages, best first. Also accepts the token that a voice runtime got with a call, as `Authorization: Bearer`, for the knowledge bases of that call.
         */
        get: operations["searchKnowledgeBase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the numbers that are never dialed, newest first */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Never dial a number again
         * @description Once this is answered, no dial of the number begins, and a call that waits for it in a carrier’s queue is withdrawn; a call in progress goes on. Adding a number again replaces its reason, note and end; without `expires_at` it stays for good. Only a manager or an admin may shorten a suppression.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["addSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions/{phone_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Let a number be dialed again
         * @description Suppressed recipients stay suppressed; later campaigns dial the number.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["removeSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/suppressions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Never dial any number of a list again
         * @description Takes a form with a file, or JSON with `items`. The first line of a file names its columns: phone, phone_number, to or number has the numbers; reason, note and expires_at may be there. Numbers may be written with spaces, dashes and brackets. Invalid rows are skipped and listed in `refused`; the rest are added, all or none. An import never shortens a suppression.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["importSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List consents, newest first
         * @description With `phone_number` the proof of one person: every consent with the text that was shown, its revocation, and how many dials relied on it until when. Calls name theirs in `meta.consent_id`.
         */
        get: operations["listConsents"];
        put?: never;
        /**
         * Record a consent to be called
         * @description Entries are never changed: a consent ends by its `expires_at` or by a revocation. Campaigns with `require_consent` dial only people with a consent that covers their `purpose`.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["addConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consents/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record many consents
         * @description Takes a form with a file, or JSON with `items`, each a body of `POST /consents`. The first line of a file names its columns: phone (or phone_number, to, number), basis, source and given_at, and scope, text_shown, evidence_hash and expires_at where they are there; others are left alone. Purposes in scope are apart by semicolons. Invalid rows (such as a malformed number or an expired consent) are skipped and listed in `refused`; the rest are added, all or none.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["importConsents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consents/{consent_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a consent
         * @description Once this is answered, no dial that relies on it begins. The entry stays as proof. To stop all calls to a person, use the suppression list.
         *
         *     Needs one of the roles member, manager, admin.
         */
        post: operations["revokeConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{phone_number}/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the proof that a person could be called
         * @description Every consent of one person with the text that was shown, its evidence, its revocation, and the calls that relied on it. The same as `outdial consent proof`. 404 if there is none.
         *
         *     Needs one of the roles manager, admin.
         */
        get: operations["proveConsent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/disclosures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what calls say first, and where they are recorded
         * @description The texts and recording rules that the operator has set for the organization with `outdial disclosure`.
         */
        get: operations["readDisclosures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/number-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ported and reassigned numbers, newest first
         * @description Consents given before a change do not count: `GET /consents` names it in `number_changed_at`.
         */
        get: operations["listNumberChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/number-changes/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import numbers that were ported or reassigned
         * @description Takes a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), kind (`ported` or `reassigned`), changed_at and source; others are left alone. Once this is answered, no dial relies on a consent that was given before the change. Rows that cannot be taken are left out and named in `refused`; the rest are added, all or none.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["importNumberChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/number-changes/{change_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take back a change that was told in error
         * @description Consents that only this change ended count again.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["removeNumberChange"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrub-lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scrub lists, newest first
         * @description With `phone_number`, only the lists that have the number.
         */
        get: operations["listScrubLists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrub-lists/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a scrub list
         * @description Takes the numbers of a do-not-call registry: a form with a file, or JSON with `numbers`. A list with a new name is created. Send a version of more than 10,000 numbers in parts with the same `scrubbed_at`, all but the last with `complete: false`. Once this is answered, no campaign that needs the list dials a number on it. The first line of a file names its columns; only phone (or phone_number, to, number) is read.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["importScrubList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrub-lists/{list_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a scrub list
         * @description Campaigns that need it wait until it is imported again, or their config no longer names it.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["removeScrubList"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{call_id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read why a call was allowed
         * @description Each condition of the last check before the dial with its verdict, and the facts behind it: the rules with version and citation as they were then, the clocks considered, the window, the caps with their counts, and the consent. It is written with the call and never changed.
         */
        get: operations["readReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain whether a recipient could be dialed now
         * @description Checks every condition of the last check before a dial for one recipient at this moment, as if it were due and a line free, and changes nothing. The answer includes earlier refusals: their number by condition, and the last one in full.
         */
        get: operations["explainRecipient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/caller-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the numbers that the organization calls from, newest first */
        get: operations["listCallerIds"];
        put?: never;
        /**
         * Call from a number of your own
         * @description Once the organization has a caller id, all of its calls use its caller ids instead of the numbers of agents: each call uses one of the country of the person, with calls left in the hour and the day. Without one, recipients wait (`waiting_for: caller_id`). 409 `caller_id_exists` for a number that is there.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["addCallerId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/caller-ids/{caller_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a caller id, let it rest, or retire it
         * @description Replaces only the fields in the body. After the answer to a rest or a retirement, no call is made from the number; calls in progress continue. 409 `caller_id_retired` if it was retired.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["updateCallerId"];
        post?: never;
        /**
         * Delete a caller id
         * @description After the last one is deleted, calls use the numbers of agents again. To keep its counts, retire it instead.
         *
         *     Needs one of the roles manager, admin.
         */
        delete: operations["removeCallerId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{phone_number}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read everything about one person
         * @description Returns all data of the organization about the person behind a number. 404 if there is none.
         *
         *     Needs one of the roles admin.
         */
        get: operations["exportPerson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the receipts of erased people, newest first
         * @description Needs one of the roles admin.
         */
        get: operations["listErasures"];
        put?: never;
        /**
         * Erase a person
         * @description Deletes the data of the person behind a number: transcripts, recordings, values, notes and the number itself, in calls, campaigns and lists. Counts stay. Recordings at carriers are deleted soon after; the receipt says when this is done. It does not contain the number. 409 while a call to the person is in progress or about to begin.
         *
         *     Needs one of the roles admin.
         */
        post: operations["erasePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/erasures/{erasure_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of an erased person
         * @description Needs one of the roles admin.
         */
        get: operations["readErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's users, newest first
         * @description Needs one of the roles admin.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description The user authenticates with an API key, or with a token that names the id or e-mail address.
         *
         *     Needs one of the roles admin.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update, disable or enable a user
         * @description Replaces only the fields in the body. A new role, or disabling the user, applies to keys and tokens within a second. 409 if no admin would remain.
         *
         *     Needs one of the roles admin.
         */
        put: operations["updateUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/sign-in-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a user to the console
         * @description Returns a link that signs the user in to the console once. It is shown only once. Send it to the user yourself; Outdial sends no mail. A link is void once its user or its creator is disabled, its creator is no longer an admin, or the key that created it is revoked or has expired.
         *
         *     Needs one of the roles admin.
         */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's API keys, newest first
         * @description The keys themselves are not stored.
         *
         *     Needs one of the roles admin.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is shown only in this answer.
         *
         *     Needs one of the roles admin.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key for good
         * @description The key stops working within a second, and stays in the list with `revoked_at`.
         *
         *     Needs one of the roles admin.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key, with an overlap
         * @description Creates a key for the same user with the same role and name, and shows it only once. The old key stays valid for the overlap, by default a day; `meta.previous` has its end.
         *
         *     Needs one of the roles admin.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your organization
         * @description `meta.role` is the role of the credential.
         */
        get: operations["readOrganization"];
        /**
         * Update your organization
         * @description Replaces only the fields in the body. Data past a shorter retention is deleted within an hour and cannot be restored. A calling policy applies to every dial after the answer, and to waiting recipients.
         *
         *     Needs one of the roles admin.
         */
        put: operations["updateOrganization"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage: number, minutes, cost and outcomes of calls
         * @description Of calls made from `from` on and before `to`: the last 30 days unless said otherwise, 366 at most. Deleting or erasing calls changes nothing here. Newest first.
         */
        get: operations["readUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints, newest first
         * @description Needs one of the roles manager, admin.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description An organization has 20 at most. Keep the secret: it is shown only once.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Needs one of the roles manager, admin.
         */
        get: operations["readWebhookEndpoint"];
        /**
         * Update a webhook endpoint
         * @description Replaces only the fields in the body. Enabling an endpoint that the service disabled resumes its undelivered events.
         *
         *     Needs one of the roles manager, admin.
         */
        put: operations["updateWebhookEndpoint"];
        post?: never;
        /**
         * Delete a webhook endpoint and its deliveries
         * @description Needs one of the roles manager, admin.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{endpoint_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an endpoint a new secret; for a day the old one's signature is sent as well
         * @description Needs one of the roles manager, admin.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event of the type `webhook.test` to an endpoint
         * @description Returns the delivery; its result appears in the list of deliveries.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an endpoint, newest first
         * @description Needs one of the roles manager, admin.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{endpoint_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an endpoint every event since an instant that it has not received
         * @description At most 10000 a request; `more` says that there are others.
         *
         *     Needs one of the roles manager, admin.
         */
        post: operations["redeliverWebhooksSince"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the event of a delivery again
         * @description Needs one of the roles manager, admin.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events in order, oldest first
         * @description The same events as webhooks, for 30 days. Continue with `after`, the id of the last event that was read: no event is skipped or repeated.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log, newest first
         * @description Every operation that writes and every command of an operator leaves an entry, in the transaction of the change. Entries are never changed or deleted.
         *
         *     Needs one of the roles admin.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "phone_number": "+15551230100",
         *       "prefixes": [
         *         "+1555"
         *       ],
         *       "attestation": "A",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "calls_per_day": 100,
         *       "calls_per_hour": 20,
         *       "warm_up_days": 14
         *     }
         */
        AddCallerId: {
            phone_number: string;
            prefixes?: string[];
            /** @default null */
            attestation?: ("A" | "B" | "C") | null;
            /** @default null */
            agent_id?: string | null;
            /** @default 100 */
            calls_per_day?: number;
            /** @default null */
            calls_per_hour?: number | null;
            /** @default 0 */
            warm_up_days?: number;
        };
        /**
         * @example {
         *       "phone_number": "+15551230042",
         *       "basis": "prior_express_written",
         *       "scope": [
         *         "marketing"
         *       ],
         *       "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
         *       "source": "https://acme.example/signup",
         *       "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "given_at": "2026-03-01T09:00:00Z"
         *     }
         */
        AddConsent: {
            phone_number: string;
            /** @enum {string} */
            basis: "prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry";
            /** @description Purposes of campaigns that it covers; without it, all */
            scope?: ("marketing" | "service" | "debt_collection")[] | null;
            /** @description What the person agreed to, word for word */
            text_shown?: string | null;
            /** @description The place where it was given: a page, a form, a call */
            source: string;
            /** @description Of the record that proves it, kept elsewhere */
            evidence_hash?: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T09:00:00Z
             */
            given_at: string;
            expires_at?: string | null;
        };
        /**
         * @example {
         *       "added": 2,
         *       "already_there": 0,
         *       "refused": [
         *         {
         *           "index": 2,
         *           "phone_number": "•••",
         *           "reason": "phone_number: Input should be a phone number in E.164 format, such as +15550100123"
         *         }
         *       ]
         *     }
         */
        AddedRecipients: {
            added: number;
            /** @description Already on the list and unchanged */
            already_there: number;
            refused: {
                /** @description The position in the list, from 0 */
                index: number;
                /** @description Masked */
                phone_number: string | null;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived."
         *     }
         */
        AddPrompt: {
            /** @description The text, with `{{name}}` as a placeholder for a value of `prompt_params` */
            prompt: string;
            /** @default 1 */
            level?: number;
            /** @default  */
            explanation?: string;
            /** @default  */
            mitigation?: string;
            /** @default [] */
            harmful_intents?: unknown[];
        };
        /**
         * @example {
         *       "recipients": [
         *         {
         *           "phone_number": "+15550100123",
         *           "prompt_params": {
         *             "name": "Ada"
         *           }
         *         },
         *         {
         *           "phone_number": "+442079460958",
         *           "timezone": "Europe/London"
         *         }
         *       ]
         *     }
         */
        AddRecipients: {
            /** @description E.164 */
            phone_number: string;
            prompt_params?: {
                [key: string]: string;
            } | null;
            /** @description IANA; the campaign's where there is none */
            timezone?: string | null;
            /** @description The location of the person: a country (`DE`), or a state or province of the United States or Canada (`US-FL`) */
            region?: string | null;
            /** @description Of the United States or Canada */
            postal_code?: string | null;
        }[] | {
            recipients: {
                /** @description E.164 */
                phone_number: string;
                prompt_params?: {
                    [key: string]: string;
                } | null;
                /** @description IANA; the campaign's where there is none */
                timezone?: string | null;
                /** @description The location of the person: a country (`DE`), or a state or province of the United States or Canada (`US-FL`) */
                region?: string | null;
                /** @description Of the United States or Canada */
                postal_code?: string | null;
            }[];
        } | ({
            phone_number: unknown;
        } & {
            [key: string]: unknown;
        });
        /**
         * @example {
         *       "phone_number": "+15551230042",
         *       "reason": "asked not to be called",
         *       "note": "told the agent on 1 March"
         *     }
         */
        AddSuppression: {
            phone_number: string;
            source?: string | null;
            reason?: string | null;
            note?: string | null;
            expires_at?: string | null;
        };
        Agent: {
            /** Format: uuid */
            id: string;
            name: string;
            organization: {
                name: string;
            };
            /** Format: uuid */
            organization_id: string;
            skills: components["schemas"]["Skill"][];
            /** @description Null if the agent has no prompt */
            latest_prompt: components["schemas"]["LatestPrompt"] | null;
            config: {
                [key: string]: unknown;
            };
        };
        AgentCalls: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            organization_id: string;
            config: {
                [key: string]: unknown;
            };
            /** @description Newest first */
            calls: components["schemas"]["Call"][];
        };
        AgentVoice: {
            /**
             * @description `cascade` hears, thinks and speaks with three models; `realtime` with one, the endpoint of `llm`; `relay` leaves hearing and speaking to the carrier
             * @enum {string}
             */
            mode: "cascade" | "realtime" | "relay";
            /**
             * @description Said when the call is answered; null waits for the person to speak
             * @default null
             */
            greeting?: string | null;
            /** @default en */
            language?: string;
            /** @default {} */
            llm?: {
                /**
                 * @description A name of `VOICE_ENDPOINT_<NAME>_URL`
                 * @default llm
                 */
                endpoint?: string;
                /**
                 * @description Endpoints to try in this order if it fails
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Replaces the model of the endpoint; fallbacks with their own model keep it */
                model?: string;
                temperature?: number;
                /**
                 * @description Of one answer
                 * @default 400
                 */
                max_tokens?: number;
                /**
                 * @description How long an endpoint may be silent before the next one is tried
                 * @default 5000
                 */
                timeout_ms?: number;
            };
            /** @default {} */
            stt?: {
                /**
                 * @description A name of `VOICE_ENDPOINT_<NAME>_URL`
                 * @default stt
                 */
                endpoint?: string;
                /**
                 * @description Endpoints to try in this order if it fails
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Replaces the model of the endpoint; fallbacks with their own model keep it */
                model?: string;
                /** @description Names and terms that are likely to be heard */
                prompt?: string;
            };
            /** @default {} */
            tts?: {
                /**
                 * @description A name of `VOICE_ENDPOINT_<NAME>_URL`
                 * @default tts
                 */
                endpoint?: string;
                /**
                 * @description Endpoints to try in this order if it fails
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Replaces the model of the endpoint; fallbacks with their own model keep it */
                model?: string;
                /** @description A voice of the endpoint */
                voice?: string;
                speed?: number;
            };
            /** @default {} */
            turn?: {
                /**
                 * @description Silence that ends the turn of the person
                 * @default 400
                 */
                silence_ms?: number;
                /**
                 * @description The same, if the words so far are an unfinished sentence
                 * @default 1000
                 */
                unfinished_silence_ms?: number;
                /**
                 * @description The agent pauses after this much voice of the person over its own
                 * @default 200
                 */
                pause_after_ms?: number;
                /**
                 * @description The agent stops speaking after this much voice of the person over its own
                 * @default 600
                 */
                drop_after_ms?: number;
                /**
                 * @description The agent answers after this long, even without a silence
                 * @default 30
                 */
                longest_utterance_seconds?: number;
            };
            /** @default {} */
            idle?: {
                /**
                 * @description Silence of both sides after which the agent asks
                 * @default 8
                 */
                after_seconds?: number;
                /**
                 * @description Said one after the other; after the last one the agent hangs up
                 * @default [
                 *       "Are you still there?"
                 *     ]
                 */
                prompts?: string[];
            };
            /**
             * @description Whether a mailbox that answers is told from a person. Without it, a mailbox is talked to
             * @default true
             */
            machine_detection?: boolean;
            /**
             * @default {
             *       "action": "hang_up"
             *     }
             */
            voicemail?: {
                /** @constant */
                action: "hang_up";
            } | {
                /** @constant */
                action: "leave_message";
                /** @description Said after the beep; `{{name}}` is replaced as in the prompt */
                message: string;
            };
            /** @default {} */
            extract?: {
                /** @description JSON Schema of `call_extract`; without it, no data is extracted */
                schema?: components["schemas"]["ExtractField"];
                /** @description Instructions for the model that fills it in */
                instructions?: string;
                /**
                 * @description Whether the record gets a summary of the conversation
                 * @default true
                 */
                summary?: boolean;
            };
            /**
             * @description Whether the conversation is recorded
             * @default false
             */
            record?: boolean;
        };
        /**
         * @example {
         *       "notes": "Asked for a call after six",
         *       "quality": 4,
         *       "tags": [
         *         "callback",
         *         "billing"
         *       ]
         *     }
         */
        AnnotateCall: {
            notes?: string | null;
            comments?: string | null;
            /** @description From 1 to 5 */
            quality?: number | null;
            /** @description All tags of the call, by name; a tag is created when it is first used */
            tags?: string[] | null;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
         *       "name": "CRM",
         *       "prefix": "od_Kx3f9a",
         *       "role": "member",
         *       "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *       "expires_at": null,
         *       "revoked_at": null,
         *       "last_used_at": null,
         *       "created_at": "2026-03-01T09:00:00.000Z"
         *     }
         */
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the key begins */
            prefix: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
            /**
             * Format: uuid
             * @description Whom it stands for
             */
            user_id: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "action": "updateUser",
         *       "actor": {
         *         "type": "user",
         *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *         "first_name": "Ada",
         *         "last_name": "Lovelace",
         *         "name": null
         *       },
         *       "credential": {
         *         "type": "api_key",
         *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13"
         *       },
         *       "ip": "203.0.113.7",
         *       "target": {
         *         "type": "user",
         *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14"
         *       },
         *       "changes": {
         *         "role": {
         *           "before": "member",
         *           "after": "manager"
         *         }
         *       },
         *       "fields": []
         *     }
         */
        AuditLogEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description The operation, by its `operationId` in this document, or the command of an operator */
            action: string;
            /** @description Who did it */
            actor: {
                /** @enum {string} */
                type: "user" | "operator";
                /** @description Of a user */
                id: string | null;
                first_name: string | null;
                last_name: string | null;
                /** @description The account of an operator on the host of the command line */
                name: string | null;
            };
            /** @description The credential: `api_key` with the id of the key, or `token` with its `jti` */
            credential: {
                type: string;
                id: string | null;
            } | null;
            ip: string | null;
            /** @description What was changed; phone numbers are masked */
            target: {
                type: string;
                id: string | null;
            } | null;
            /** @description Fields that changed, before and after, without secrets and personal data */
            changes: {
                [key: string]: {
                    before: unknown;
                    after: unknown;
                };
            };
            /** @description The fields of the request, if `changes` is empty */
            fields: string[];
        };
        /**
         * @example {
         *       "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "provider": "phone_outbound",
         *       "status": "finish",
         *       "type": "outbound",
         *       "phone_number": "+15550100123",
         *       "conversation_id": "CA0001",
         *       "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
         *       "duration": 42,
         *       "cost": 0.021,
         *       "notes": null,
         *       "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
         *       "events": [
         *         {
         *           "type": "ringing",
         *           "at": "2026-03-02T15:04:05.000Z"
         *         },
         *         {
         *           "type": "answered",
         *           "at": "2026-03-02T15:04:08.000Z"
         *         },
         *         {
         *           "type": "ended",
         *           "at": "2026-03-02T15:04:50.000Z",
         *           "outcome": "completed"
         *         }
         *       ],
         *       "prompt_params": {
         *         "name": "Ada",
         *         "company": "Acme"
         *       },
         *       "call_extract": {
         *         "wants_delivery": true
         *       },
         *       "external_last_status": "completed",
         *       "meta": {
         *         "outcome": "completed",
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "attempt": 1
         *       },
         *       "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
         *       "comments": null,
         *       "quality": 4,
         *       "created_by": {
         *         "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
         *         "first_name": "Grace",
         *         "last_name": "Hopper"
         *       },
         *       "created_at": "2026-03-02T15:04:04.000Z",
         *       "tags": [
         *         {
         *           "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
         *           "name": "billing"
         *         }
         *       ]
         *     }
         */
        Call: {
            id: string | null;
            agent_id: string | null;
            organization_id: string | null;
            provider: ("web" | "phone_outbound" | "phone_inbound") | null;
            status: ("init" | "start" | "finish" | "error" | "other") | null;
            type: ("inbound" | "outbound") | null;
            phone_number: string | null;
            conversation_id: string | null;
            transcript: string | null;
            /** @description Seconds of conversation */
            duration: number | null;
            cost: number;
            notes: string | null;
            /** @description This service's path to the audio */
            recording_url: string | null;
            /** @description `{type, at, …}`, oldest first */
            events: components["schemas"]["CallEvent"][] | null;
            prompt_params: {
                [key: string]: unknown;
            } | null;
            call_extract: {
                [key: string]: unknown;
            } | null;
            /** @description The provider's own word */
            external_last_status: string | null;
            /** @description As sent, with `outcome` after the end, and `campaign_id`, `recipient_id` and `attempt` for a call of a campaign */
            meta: {
                [key: string]: unknown;
            } | null;
            system_prompt: string | null;
            comments: string | null;
            quality: number | null;
            created_by: {
                /** Format: uuid */
                id: string;
                first_name: string;
                last_name: string;
            } | null;
            created_at: string | null;
            tags: components["schemas"]["Tag"][] | null;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
         *       "phone_number": "+15551230100",
         *       "prefixes": [
         *         "+1555"
         *       ],
         *       "attestation": "A",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "calls_per_day": 100,
         *       "calls_per_hour": 20,
         *       "warm_up_days": 14,
         *       "country": "US",
         *       "state": "active",
         *       "state_reason": null,
         *       "resting_until": null,
         *       "calls_last_hour": 3,
         *       "calls_last_day": 41,
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z"
         *     }
         */
        CallerId: {
            /** Format: uuid */
            id: string;
            phone_number: string;
            /** @description It only calls people in this country; derived from its digits */
            country: string;
            /** @description Prefixes of the numbers that it is local to; used if the operator allows local presence */
            prefixes: string[];
            attestation: ("A" | "B" | "C") | null;
            /** @description Answers people who call this number and whom no agent has called before */
            agent_id: string | null;
            /** @description In any 24 hours */
            calls_per_day: number;
            /** @description In any hour */
            calls_per_hour: number | null;
            /** @description Days over which its daily calls grow to calls_per_day */
            warm_up_days: number;
            /** @enum {string} */
            state: "active" | "resting" | "retired";
            /** @description Of a rest that the service began `answer_rate` or `short_calls`; else what was given */
            state_reason: string | null;
            /** @description The end of the rest; null until a user ends it */
            resting_until: string | null;
            calls_last_hour: number;
            calls_last_day: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @example {
         *       "type": "answered",
         *       "at": "2026-03-02T15:04:08.000Z"
         *     }
         */
        CallEvent: {
            type: string;
            /** @description ISO 8601 */
            at: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *       "created_at": "2026-03-02T13:58:00.000Z",
         *       "name": "Spring",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "status": "running",
         *       "start_date": "2026-03-02T14:00:00.000Z",
         *       "end_date": "2026-03-31T21:30:00.000Z",
         *       "start_time": "09:00",
         *       "end_time": "17:30",
         *       "phone_numbers": [
         *         "+15550100123",
         *         "+15550100124"
         *       ],
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "additional_params": {
         *         "timezone": "America/New_York",
         *         "recipients": {
         *           "+15550100123": {
         *             "prompt_params": {
         *               "name": "Ada"
         *             }
         *           }
         *         }
         *       }
         *     }
         */
        Campaign: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            name: string;
            /** Format: uuid */
            agent_id: string;
            /** @enum {string} */
            status: "draft" | "paused" | "running" | "finished" | "canceled";
            /** Format: date-time */
            start_date: string;
            /** @description Null means open-ended */
            end_date: string | null;
            start_time: string;
            end_time: string;
            phone_numbers: string[];
            /** Format: uuid */
            organization_id: string;
            additional_params: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "0195d2ef-6b0a-7d1c-8e2f-1a2b3c4d5e6f",
         *       "created_at": "2026-03-02T13:58:00.000Z",
         *       "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *       "call_on_weekend": false,
         *       "queue_again": false,
         *       "call_back_attempts": 2,
         *       "retry_delay_seconds": 900,
         *       "retry_delays_seconds": [
         *         900,
         *         3600,
         *         86400
         *       ],
         *       "retry_on": [
         *         "no_answer",
         *         "busy"
         *       ],
         *       "max_concurrent_calls": 10,
         *       "calls_per_second": null,
         *       "max_attempts_per_recipient": null,
         *       "priority": 0,
         *       "purpose": null,
         *       "require_consent": false,
         *       "consent_bases": null,
         *       "scrub_lists": [
         *         "us-national-dnc"
         *       ]
         *     }
         */
        CampaignConfig: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            campaign_id: string;
            call_on_weekend: boolean;
            queue_again: boolean;
            call_back_attempts: number;
            retry_delay_seconds: number;
            retry_delays_seconds: (number[] | {
                [key: string]: number[];
            }) | null;
            retry_on: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown")[];
            max_concurrent_calls: number;
            calls_per_second: number | null;
            max_attempts_per_recipient: number | null;
            priority: number;
            purpose: ("marketing" | "service" | "debt_collection") | null;
            require_consent: boolean;
            consent_bases: ("prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry")[] | null;
            /** @description Names of scrub lists; null for none */
            scrub_lists: string[] | null;
        };
        CampaignPage: {
            items: components["schemas"]["Campaign"][];
            page: number;
            size: number;
            total: number;
            pages: number;
            previous_page: number | null;
            next_page: number | null;
        };
        /**
         * @example {
         *       "status": "running",
         *       "recipients": {
         *         "total": 1200,
         *         "waiting": 640,
         *         "retrying": 75,
         *         "in_call": 10,
         *         "reached": 402,
         *         "unreached": 60,
         *         "suppressed": 8,
         *         "withdrawn": 5
         *       },
         *       "outcomes": {
         *         "completed": 402,
         *         "no_answer": 98,
         *         "busy": 21,
         *         "voicemail": 16
         *       },
         *       "dials": 561,
         *       "lines_in_use": 10,
         *       "max_concurrent_calls": 10,
         *       "calls_last_minute": 14,
         *       "next_dial_at": "2026-03-02T15:04:10.000Z",
         *       "waiting_for": "campaign_line",
         *       "waiting_detail": {
         *         "message": "All 10 lines of this campaign are in use.",
         *         "remedy": "Raise max_concurrent_calls in the config of the campaign, or wait for calls to end.",
         *         "until": null,
         *         "timezone": null,
         *         "limit": 10,
         *         "in_use": 10,
         *         "held_by": null,
         *         "provider": null,
         *         "last_error": null,
         *         "blocked_since": null
         *       },
         *       "first_dial_at": "2026-03-02T14:00:00.120Z",
         *       "last_dial_at": "2026-03-02T15:04:09.310Z",
         *       "estimated_end_at": "2026-03-02T15:55:11.000Z",
         *       "as_of": "2026-03-02T15:04:11.000Z"
         *     }
         */
        CampaignProgress: {
            /** @enum {string} */
            status: "draft" | "paused" | "running" | "finished" | "canceled";
            /** @description The seven states add up to `total`, which counts every number that was ever on the list */
            recipients: {
                total: number;
                /** @description Never called yet */
                waiting: number;
                /** @description To be called again */
                retrying: number;
                in_call: number;
                /** @description The last call was completed, and no further call follows */
                reached: number;
                /** @description Given up */
                unreached: number;
                /** @description On the suppression list */
                suppressed: number;
                /** @description Withdrawn from the list, or not dialed before the campaign ended */
                withdrawn: number;
            };
            /** @description Recipients by the outcome of their last call */
            outcomes: {
                [key: string]: number;
            };
            /** @description Calls placed so far, retries included */
            dials: number;
            lines_in_use: number;
            max_concurrent_calls: number;
            calls_last_minute: number;
            next_dial_at: string | null;
            /** @description Null while it dials, and while it does not run */
            waiting_for: ("window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "quota" | "error") | null;
            waiting_detail: components["schemas"]["WaitingDetail"] | null;
            first_dial_at: string | null;
            last_dial_at: string | null;
            /** @description The median end of the latest forecast. Organizations take turns with their forecasts: one is usually at most 15 minutes old, or an hour for long lists, and older while very many campaigns run. Null while there is none, after a change of the settings, and for lists so varied that only a long forecast tells their end */
            estimated_end_at: string | null;
            /** Format: date-time */
            as_of: string;
        };
        CampaignSummary: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            name: string;
            /** Format: uuid */
            agent_id: string;
            /** @enum {string} */
            status: "draft" | "paused" | "running" | "finished" | "canceled";
            /** Format: date-time */
            start_date: string;
            /** @description Null means open-ended */
            end_date: string | null;
            start_time: string;
            end_time: string;
            /** Format: uuid */
            organization_id: string;
            /** @description IANA zone of its dates and hours; recipients may have their own */
            timezone: string;
        };
        CampaignSummaryPage: {
            items: components["schemas"]["CampaignSummary"][];
            page: number;
            size: number;
            total: number;
            pages: number;
            previous_page: number | null;
            next_page: number | null;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
         *       "phone_number": "+15551230042",
         *       "basis": "prior_express_written",
         *       "scope": [
         *         "marketing"
         *       ],
         *       "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
         *       "source": "https://acme.example/signup",
         *       "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "given_at": "2026-03-01T09:00:00.000Z",
         *       "expires_at": null,
         *       "revoked_at": null,
         *       "revocation_reason": null,
         *       "number_changed_at": null,
         *       "last_used_at": null,
         *       "uses": 0,
         *       "created_at": "2026-03-01T09:00:05.000Z"
         *     }
         */
        Consent: {
            /** Format: uuid */
            id: string;
            phone_number: string;
            /** @enum {string} */
            basis: "prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry";
            /** @description Purposes that it covers; null covers all */
            scope: ("marketing" | "service" | "debt_collection")[] | null;
            text_shown: string | null;
            source: string;
            evidence_hash: string | null;
            /** Format: date-time */
            given_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            revocation_reason: string | null;
            /** @description When the number was ported or reassigned since; from then on the consent does not count */
            number_changed_at: string | null;
            /** @description When a dial last relied on it */
            last_used_at: string | null;
            /** @description How many dials relied on it */
            uses: number;
            /** Format: date-time */
            created_at: string;
        };
        ConsentImport: {
            added: number;
            /** @description Skipped rows, by their position in `items`, from 1, or their line in the file */
            refused: {
                line: number;
                field: string | null;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "phone_number": "+15551230042",
         *       "as_of": "2026-03-02T09:00:00.000Z",
         *       "consents": [
         *         {
         *           "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
         *           "phone_number": "+15551230042",
         *           "basis": "prior_express_written",
         *           "scope": [
         *             "marketing"
         *           ],
         *           "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
         *           "source": "https://acme.example/signup",
         *           "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *           "given_at": "2026-03-01T09:00:00.000Z",
         *           "expires_at": null,
         *           "revoked_at": null,
         *           "revocation_reason": null,
         *           "number_changed_at": null,
         *           "last_used_at": "2026-03-02T08:20:00.000Z",
         *           "uses": 1,
         *           "created_at": "2026-03-01T09:00:05.000Z",
         *           "calls": [
         *             {
         *               "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *               "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *               "dialed_at": "2026-03-02T08:20:00.000Z"
         *             }
         *           ]
         *         }
         *       ],
         *       "complete": true
         *     }
         */
        ConsentProof: {
            phone_number: string;
            /** Format: date-time */
            as_of: string;
            /** @description Newest first, also those that expired or were revoked */
            consents: {
                /** Format: uuid */
                id: string;
                phone_number: string;
                /** @enum {string} */
                basis: "prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry";
                /** @description Purposes that it covers; null covers all */
                scope: ("marketing" | "service" | "debt_collection")[] | null;
                text_shown: string | null;
                source: string;
                evidence_hash: string | null;
                /** Format: date-time */
                given_at: string;
                expires_at: string | null;
                revoked_at: string | null;
                revocation_reason: string | null;
                /** @description When the number was ported or reassigned since; from then on the consent does not count */
                number_changed_at: string | null;
                /** @description When a dial last relied on it */
                last_used_at: string | null;
                /** @description How many dials relied on it */
                uses: number;
                /** Format: date-time */
                created_at: string;
                /** @description The calls that relied on it, newest first; each has a receipt. Deleted calls are only counted in `uses` */
                calls: {
                    /** Format: uuid */
                    call_id: string;
                    campaign_id: string | null;
                    /** Format: date-time */
                    dialed_at: string;
                }[];
            }[];
            /** @description False beyond 100 consents or 1,000 calls */
            complete: boolean;
        };
        /**
         * @example {
         *       "name": "Anna",
         *       "config": {
         *         "voice": "calm"
         *       },
         *       "skills": [
         *         {
         *           "type": "transfer",
         *           "exec_order": "1",
         *           "config": {
         *             "to": "+15551230100"
         *           }
         *         }
         *       ],
         *       "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived."
         *     }
         */
        CreateAgent: {
            name: string;
            /**
             * @description `telephony.provider` and `telephony.from_phone` determine how its calls are placed, `voice` how it talks
             * @default {}
             */
            config?: {
                /** @description How the agent talks if Outdial itself is its voice runtime; fields of other runtimes are passed on unchanged */
                voice?: unknown | components["schemas"]["AgentVoice"];
                /** @description Legal requirements of a call */
                compliance?: {
                    /** @description A person who presses it is never called again by the organization; the agent should announce it */
                    opt_out_key?: string | null;
                    /** @description Whether its calls begin with a disclosure (who calls, that the voice is artificial, and how to stop); always under a calling policy */
                    disclose?: boolean;
                    /** @description Of the disclosure; `voice.language` unless given, else English */
                    language?: string;
                };
            } & {
                [key: string]: unknown;
            };
            /** @default [] */
            skills?: {
                type: string;
                exec_order: string;
                /** @default true */
                enabled?: boolean;
                /** @default {} */
                config?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The first version of its prompt */
            prompt?: string | null;
        };
        /**
         * @example {
         *       "name": "CRM",
         *       "role": "member"
         *     }
         */
        CreateApiKey: {
            name: string;
            /** @description By default the role of the user; cannot exceed it */
            role?: ("viewer" | "member" | "manager" | "admin") | null;
            /** @description The user of the key; by default yourself */
            user_id?: string | null;
            expires_at?: string | null;
        };
        /**
         * @example {
         *       "name": "Spring",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "phone_numbers": [
         *         "+15550100123",
         *         "+15550100124"
         *       ],
         *       "start_date": "2026-03-02",
         *       "end_date": "2026-03-31",
         *       "start_time": "09:00",
         *       "end_time": "17:30",
         *       "additional_params": {
         *         "timezone": "America/New_York",
         *         "prompt_params": {
         *           "company": "Acme"
         *         },
         *         "recipients": {
         *           "+15550100123": {
         *             "prompt_params": {
         *               "name": "Ada"
         *             }
         *           },
         *           "+15550100124": {
         *             "prompt_params": {
         *               "name": "Grace"
         *             },
         *             "timezone": "America/Chicago"
         *           }
         *         }
         *       }
         *     }
         */
        CreateCampaign: {
            name: string;
            /** Format: uuid */
            agent_id: string;
            /** @description E.164, in the order of dialing; a repeated number is dialed once, at its first position */
            phone_numbers: string[];
            /** @description `draft` by default; `running` needs manager or admin */
            status?: ("draft" | "paused" | "running") | null;
            start_date?: string | null;
            end_date?: string | null;
            start_time?: string | null;
            end_time?: string | null;
            organization_id?: string | null;
            additional_params?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
         *       "name": "CRM",
         *       "prefix": "od_Kx3f9a",
         *       "role": "member",
         *       "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *       "expires_at": null,
         *       "revoked_at": null,
         *       "last_used_at": null,
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "key": "od_Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk"
         *     }
         */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description How the key begins */
            prefix: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
            /**
             * Format: uuid
             * @description Whom it stands for
             */
            user_id: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The key itself, shown only once, because it is not stored. Null in a repeated answer */
            key: string | null;
        };
        /**
         * @example {
         *       "name": "Deliveries",
         *       "description": "What customers ask about deliveries"
         *     }
         */
        CreateKnowledgeBase: {
            name: string;
            description?: string | null;
            organization_id?: string | null;
        };
        /**
         * @default {
         *       "expires_in_minutes": 1440
         *     }
         * @example {
         *       "expires_in_minutes": 60
         *     }
         */
        CreateSignInLink: {
            /**
             * @description How long the link is valid if it is not used
             * @default 1440
             */
            expires_in_minutes?: number;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "first_name": "Ada",
         *       "last_name": "Lovelace",
         *       "role": "manager"
         *     }
         */
        CreateUser: {
            email: string;
            first_name: string;
            last_name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
        };
        /**
         * @example {
         *       "url": "https://example.com/outdial",
         *       "events": [
         *         "call.ended",
         *         "campaign.finished"
         *       ]
         *     }
         */
        CreateWebhookEndpoint: {
            /** Format: uri */
            url: string;
            /** @description Types of events, or `*` for all */
            events?: ("*" | "call.started" | "call.answered" | "call.ended" | "call.updated" | "recipient.finished" | "campaign.started" | "campaign.paused" | "campaign.finished" | "campaign.canceled" | "campaign.blocked" | "knowledge_base_item.ready" | "knowledge_base_item.failed" | "suppression.added")[];
            /** @default  */
            description?: string;
            /** @default true */
            enabled?: boolean;
        };
        /**
         * @example {
         *       "texts": [
         *         {
         *           "jurisdiction": "US-FL",
         *           "language": "en",
         *           "text": "This is {{agent}}, an artificial voice, calling for {{organization}}. Say stop to get no more calls."
         *         }
         *       ],
         *       "recordings": [
         *         {
         *           "jurisdiction": "DE",
         *           "mode": "off"
         *         }
         *       ]
         *     }
         */
        Disclosures: {
            /** @description Where none of them fits, calls begin with a text of the service */
            texts: {
                /** @description A country such as `DE`, a state such as `US-CA`, or `*` for everywhere */
                jurisdiction: string;
                language: string;
                text: string;
            }[];
            /** @description Whether calls there may be recorded; elsewhere the rules of the calling policy hold */
            recordings: {
                /** @description A country such as `DE`, a state such as `US-CA`, or `*` for everywhere */
                jurisdiction: string;
                /** @enum {string} */
                mode: "off" | "announced" | "on";
            }[];
        };
        /**
         * @example {
         *       "phone_number": "+15551230042",
         *       "keep_suppressed": true
         *     }
         */
        ErasePerson: {
            phone_number: string;
            /**
             * @description Keeps the number on the suppression list, and only there, so that it is not called again
             * @default false
             */
            keep_suppressed?: boolean;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "requested_by": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *       "state": "done",
         *       "calls": 3,
         *       "recipients": 1,
         *       "suppressions": 0,
         *       "recordings": {
         *         "deleted": 2,
         *         "pending": 0,
         *         "failed": 0
         *       }
         *     }
         */
        Erasure: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description The user; null for an operator */
            requested_by: string | null;
            /**
             * @description `pending` while recordings wait to be deleted at their providers; `failed` where a provider refused
             * @enum {string}
             */
            state: "done" | "pending" | "failed";
            /** @description Calls from which the number was removed */
            calls: number;
            recipients: number;
            suppressions: number;
            recordings: {
                deleted: number;
                pending: number;
                failed: number;
            };
        };
        Error: {
            detail: string;
            code: string;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "call.ended",
         *       "created_at": "2026-03-02T15:04:05.000Z",
         *       "organization_id": "019a4c1e-0000-7000-8000-000000000001",
         *       "sequence": 3,
         *       "data": {
         *         "call_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f",
         *         "call_url": "/api/v1/calls/019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f",
         *         "campaign_id": "019a4c1e-0000-7000-8000-000000000002",
         *         "recipient_id": "019a4c1e-0000-7000-8000-000000000003",
         *         "agent_id": "019a4c1e-0000-7000-8000-000000000004",
         *         "phone_number": "+15551230000",
         *         "attempt": 1,
         *         "status": "finish",
         *         "outcome": "completed",
         *         "duration": 42
         *       }
         *     }
         */
        Event: {
            /** Format: uuid */
            id: string;
            type: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call */
            sequence: number;
            /** @description Fields without a value are absent */
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                /** Format: uuid */
                call_id?: string;
                /** @description The path of the record of the call, which has its transcript and recording */
                call_url?: string;
                /** Format: uuid */
                agent_id?: string;
                phone_number?: string;
                attempt?: number;
                /** @description Of the call, the campaign or the item */
                status?: string;
                /** @description Null where there was no call */
                outcome?: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown") | null;
                /** Format: date-time */
                started_at?: string;
                /** Format: date-time */
                answered_at?: string;
                /** Format: date-time */
                ended_at?: string;
                /** @description Seconds */
                duration?: number;
                external_status?: string;
                changed?: string[];
                reason?: string | null;
                attempts?: number;
                round?: number;
                /** Format: date-time */
                blocked_since?: string;
                /** Format: uuid */
                knowledge_base_id?: string;
                /** Format: uuid */
                item_id?: string;
                name?: string;
                error?: string | null;
            } & {
                [key: string]: unknown;
            };
        };
        ExtractField: {
            type?: ("object" | "array" | "string" | "number" | "integer" | "boolean" | "null") | ("object" | "array" | "string" | "number" | "integer" | "boolean" | "null")[];
            title?: string;
            description?: string;
            enum?: (string | number | boolean | null)[];
            const?: string | number | boolean | null;
            properties?: {
                [key: string]: components["schemas"]["ExtractField"];
            };
            required?: string[];
            additionalProperties?: boolean;
            items?: components["schemas"]["ExtractField"];
            anyOf?: components["schemas"]["ExtractField"][];
            minimum?: number;
            maximum?: number;
            minLength?: number;
            maxLength?: number;
            minItems?: number;
            maxItems?: number;
        };
        /**
         * @example {
         *       "campaign_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70",
         *       "as_of": "2026-03-02T08:20:00.000Z",
         *       "seed": 1,
         *       "people": 1000,
         *       "skipped": [
         *         {
         *           "reason": "suppressed",
         *           "count": 12
         *         }
         *       ],
         *       "end": {
         *         "p10": "2026-03-03T10:05:00.000Z",
         *         "p50": "2026-03-03T10:40:00.000Z",
         *         "p90": "2026-03-03T11:20:00.000Z"
         *       },
         *       "dials": 1640,
         *       "reached": 610,
         *       "days": [
         *         {
         *           "date": "2026-03-02",
         *           "zone": "Europe/London",
         *           "people": 988,
         *           "dials": 1100
         *         }
         *       ],
         *       "bottleneck": {
         *         "limit": "lines",
         *         "seconds": 14400
         *       },
         *       "with_twice_the_lines": {
         *         "p50": "2026-03-02T16:10:00.000Z",
         *         "sooner_by_seconds": 66600
         *       },
         *       "assumptions": {
         *         "rates_from": "organization",
         *         "calls_looked_at": 4200,
         *         "outcomes": [
         *           {
         *             "outcome": "completed",
         *             "share": 0.41,
         *             "seconds": 96.2
         *           }
         *         ],
         *         "lines": 10,
         *         "calls_per_second": null,
         *         "quota_per_day": null
         *       }
         *     }
         */
        Forecast: {
            /** Format: uuid */
            campaign_id: string;
            /** Format: date-time */
            as_of: string;
            seed: number;
            /** @description Recipients that are not finished */
            people: number;
            /** @description Recipients that will not be dialed, and why */
            skipped: {
                /** @enum {string} */
                reason: "suppressed" | "no_consent" | "on_scrub_list" | "no_calling_hours" | "campaign_over";
                count: number;
            }[];
            /** @description The end of the campaign: in one of ten cases, in half of them, and in nine of ten by this time; null if not within 400 days */
            end: {
                p10: string | null;
                p50: string | null;
                p90: string | null;
            };
            dials: number;
            reached: number;
            /** @description People dialed by local date and time zone */
            days: {
                /** Format: date */
                date: string;
                zone: string;
                people: number;
                dials: number;
            }[];
            bottleneck: {
                /** @enum {string} */
                limit: "lines" | "calls_per_second" | "quota" | "caller_id" | "calling_window" | "retry_delay" | "person_cap";
                /** @description How long it delays the campaign */
                seconds: number;
            } | null;
            with_twice_the_lines: {
                p50: string | null;
                sooner_by_seconds: number | null;
            };
            assumptions: {
                /**
                 * @description The newest calls of the organization, or defaults if there are fewer than 50
                 * @enum {string}
                 */
                rates_from: "organization" | "defaults";
                calls_looked_at: number;
                outcomes: {
                    /** @enum {string} */
                    outcome: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                    share: number;
                    seconds: number;
                }[];
                lines: number;
                calls_per_second: number | null;
                quota_per_day: number | null;
            };
        };
        /**
         * @example {
         *       "seed": 1
         *     }
         */
        ForecastRequest: {
            /** @description The same seed gives the same forecast of the same campaign; 1 by default */
            seed?: number;
            /** @description Forecast with this number of lines */
            max_concurrent_calls?: number;
        };
        /**
         * @example {
         *       "campaign": "{\"name\": \"Spring\", \"agent_id\": \"0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d\"}",
         *       "mapping": "{\"Telefon\": \"phone_number\", \"Vorname\": \"name\"}",
         *       "country": "DE",
         *       "dry_run": "true"
         *     }
         */
        ImportCampaign: {
            /** @description JSON as in POST /campaigns, without `phone_numbers`: those are in the file */
            campaign: string;
            /** @description JSON: the name of a column → `phone_number`, `timezone`, the name of a value for the prompt, or null to leave the column out. Other columns keep their own name */
            mapping?: string;
            /** @description The country of numbers without one */
            country?: string;
            /**
             * @description `true` checks the file and reports what it would import, without creating a campaign. What the creation would be refused with is in `meta.warnings`, as `would_be_refused`; faulty fields are a 422 that also names the first hundred refused rows
             * @enum {string}
             */
            dry_run?: "true" | "false";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "phone_number": "+15551230042",
         *           "basis": "prior_express_written",
         *           "scope": [
         *             "marketing"
         *           ],
         *           "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
         *           "source": "https://acme.example/signup",
         *           "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *           "given_at": "2026-03-01T09:00:00Z"
         *         }
         *       ]
         *     }
         */
        ImportConsents: {
            /** @description Of a JSON body; a form has a file instead */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of numbers in a file without a leading `+`: ISO 3166, two letters */
            country?: string | null;
        };
        /**
         * @example {
         *       "campaign": null,
         *       "dry_run": true,
         *       "rows": 3,
         *       "taken": 2,
         *       "refused": [
         *         {
         *           "line": 4,
         *           "column": "Telefon",
         *           "value": "•••••12",
         *           "reason": "has a phone number that is too short"
         *         }
         *       ]
         *     }
         */
        ImportedCampaign: {
            /** @description Null for a dry run */
            campaign: components["schemas"]["CampaignSummary"] | null;
            dry_run: boolean;
            /** @description Of the file, without its first line */
            rows: number;
            taken: number;
            refused: {
                line: number;
                column: string | null;
                /** @description Masked */
                value: string | null;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "phone_number": "+15551230042",
         *           "kind": "reassigned",
         *           "source": "Reassigned Numbers Database",
         *           "changed_at": "2026-02-14T00:00:00Z"
         *         }
         *       ]
         *     }
         */
        ImportNumberChanges: {
            /** @description Of a JSON body: `phone_number`, `kind`, `changed_at` and `source`. A form has a file instead */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of numbers in a file without a leading `+`: ISO 3166, two letters */
            country?: string | null;
        };
        /**
         * @example {
         *       "name": "us-national-dnc",
         *       "source": "National Do Not Call Registry",
         *       "account": "10034221-54321",
         *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
         *       "numbers": [
         *         "+15551230042",
         *         "+15551230043"
         *       ]
         *     }
         */
        ImportScrubList: {
            name: string;
            /** @description The registry or vendor of the list */
            source: string;
            /** @description The subscription or organization number under which it was obtained */
            account?: string | null;
            /**
             * Format: date-time
             * @description When this version was obtained; parts of one version have the same instant
             * @example 2026-03-01T09:00:00Z
             */
            scrubbed_at: string;
            /** @description False: more parts of this version follow. A complete version replaces the one before it; until then the numbers of both count */
            complete?: boolean | ("true" | "false");
            /** @description For a JSON body; a form has a file instead. May be empty */
            numbers?: string[];
            /** @description The country of numbers without a leading `+`: ISO 3166, two letters */
            country?: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "phone_number": "+15551230042",
         *           "reason": "asked not to be called"
         *         },
         *         {
         *           "phone_number": "+15551230043"
         *         }
         *       ]
         *     }
         */
        ImportSuppressions: {
            /** @description Of a JSON body; a form has a file instead */
            items?: {
                phone_number: string;
                reason?: string | null;
                note?: string | null;
                expires_at?: string | null;
            }[];
            source?: string | null;
            /** @description The country of numbers without a leading `+`: ISO 3166, two letters */
            country?: string | null;
        };
        /**
         * @example {
         *       "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
         *       "name": "Deliveries",
         *       "description": "What customers ask about deliveries",
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
         *     }
         */
        KnowledgeBase: {
            id: string;
            name: string;
            description: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            organization_id: string;
        };
        /**
         * @example {
         *       "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
         *       "name": "returns.pdf",
         *       "file_type": "PDF",
         *       "status": "ready",
         *       "created_at": "2026-03-01T09:05:00.000Z",
         *       "updated_at": "2026-03-01T09:05:02.000Z",
         *       "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
         *       "notes": null,
         *       "error": null
         *     }
         */
        KnowledgeBaseItem: {
            id: string;
            name: string;
            /** @enum {string} */
            file_type: "PDF" | "TXT";
            /** @enum {string} */
            status: "pending" | "processing" | "ready" | "failed";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            knowledge_base_id: string;
            notes: string | null;
            /** @description Why an item is `failed` */
            error: string | null;
        };
        /**
         * @example {
         *       "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
         *       "name": "returns.pdf",
         *       "file_type": "PDF",
         *       "status": "ready",
         *       "created_at": "2026-03-01T09:05:00.000Z",
         *       "updated_at": "2026-03-01T09:05:02.000Z",
         *       "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
         *       "notes": null,
         *       "error": null,
         *       "content": "Goods may be returned within 30 days."
         *     }
         */
        KnowledgeBaseItemWithContent: {
            id: string;
            name: string;
            /** @enum {string} */
            file_type: "PDF" | "TXT";
            /** @enum {string} */
            status: "pending" | "processing" | "ready" | "failed";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            knowledge_base_id: string;
            notes: string | null;
            /** @description Why an item is `failed` */
            error: string | null;
            /** @description Null until the item is `ready` */
            content: string | null;
        };
        /**
         * @example {
         *       "level": 1,
         *       "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
         *       "explanation": "Asks after deliveries",
         *       "mitigation": "",
         *       "harmful_intents": [],
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
         *     }
         */
        LatestPrompt: {
            level: number;
            prompt: string;
            explanation: string;
            mitigation: string;
            harmful_intents: unknown[];
            /** Format: uuid */
            agent_id: string;
            /** Format: uuid */
            organization_id: string;
        };
        /**
         * @example {
         *       "to_phone": "+15550100123",
         *       "prompt_params": {
         *         "name": "Ada"
         *       },
         *       "meta": {
         *         "order": "A-1042"
         *       }
         *     }
         */
        MakeCall: {
            /** @description E.164 */
            to_phone: string;
            prompt_params?: {
                [key: string]: string;
            } | null;
            meta?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @example {
         *       "prompt_params": {
         *         "name": "Ada"
         *       },
         *       "meta": {
         *         "page": "pricing"
         *       }
         *     }
         */
        MakeWebCall: {
            prompt_params?: {
                [key: string]: string;
            } | null;
            meta?: {
                [key: string]: unknown;
            } | null;
        } | null;
        /** @example {} */
        Meta: {
            /** @description Accepted values that may be mistakes */
            warnings?: components["schemas"]["Warning"][];
            /** @description Of a running campaign */
            next_dial_at?: string | null;
            /** @description Of a running campaign that does not dial */
            waiting_for?: ("window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "quota" | "error") | null;
            /**
             * @description Of the credential, from `GET /api/v1/organization`
             * @enum {string}
             */
            role?: "viewer" | "member" | "manager" | "admin";
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
         *       "phone_number": "+15551230042",
         *       "kind": "reassigned",
         *       "source": "Reassigned Numbers Database",
         *       "changed_at": "2026-02-14T00:00:00.000Z",
         *       "created_at": "2026-03-01T09:00:05.000Z"
         *     }
         */
        NumberChange: {
            /** Format: uuid */
            id: string;
            phone_number: string;
            /** @enum {string} */
            kind: "ported" | "reassigned";
            /** Format: date-time */
            changed_at: string;
            source: string;
            /** Format: date-time */
            created_at: string;
        };
        NumberChangeImport: {
            added: number;
            /** @description Changes that were there already */
            known: number;
            /** @description Skipped rows, by their position in `items`, from 1, or their line in the file */
            refused: {
                line: number;
                field: string | null;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
         *       "name": "Acme",
         *       "timezone": "Europe/Berlin",
         *       "calling_policy": "strict",
         *       "limits": {
         *         "max_lines": 50,
         *         "max_campaigns": null,
         *         "max_recipients": null,
         *         "max_calls_per_day": 10000,
         *         "max_spend_per_day": null,
         *         "requests_per_minute": null,
         *         "max_recorded_gigabytes": null,
         *         "max_inbound_calls": null,
         *         "max_inbound_per_caller_hour": null,
         *         "max_inbound_per_number_hour": null
         *       },
         *       "allowed_countries": [
         *         "DE",
         *         "AT"
         *       ],
         *       "person_caps": {
         *         "calls": [
         *           {
         *             "calls": 3,
         *             "hours": 24
         *           },
         *           {
         *             "calls": 7,
         *             "hours": 168
         *           }
         *         ],
         *         "gap_seconds": 14400,
         *         "after_conversation_hours": null
         *       },
         *       "retention": {
         *         "transcripts_days": 90,
         *         "recordings_days": 30,
         *         "prompt_values_days": 90,
         *         "calls_days": null
         *       },
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z"
         *     }
         */
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description IANA zone of campaigns without their own, and of the days in the usage */
            timezone: string;
            /**
             * @description The calling hours to enforce: `strict` by country and region, `standard` by country only, `none` for the windows of campaigns only
             * @enum {string}
             */
            calling_policy: "strict" | "standard" | "none";
            /** @description Set by the operator of the installation; null is the installation's default, or no limit */
            limits: {
                /** @description The maximum of calls in progress; null for no limit */
                max_lines: number | null;
                max_campaigns: number | null;
                /** @description Of all campaigns */
                max_recipients: number | null;
                /** @description Days begin at midnight UTC */
                max_calls_per_day: number | null;
                max_spend_per_day: number | null;
                requests_per_minute: number | null;
                /** @description Of recordings that Outdial itself stores */
                max_recorded_gigabytes: number | null;
                /** @description Calls that come in, at a time */
                max_inbound_calls: number | null;
                /** @description Calls of one caller in an hour */
                max_inbound_per_caller_hour: number | null;
                /** @description Calls to one caller id in an hour */
                max_inbound_per_number_hour: number | null;
            };
            /** @description Countries that may be called, as two-letter codes; null for all. Set by the operator */
            allowed_countries: string[] | null;
            /** @description How often one person may be called, over all campaigns. Set by the operator */
            person_caps: {
                /** @description The maximum of calls in any such span */
                calls: {
                    calls: number;
                    hours: number;
                }[];
                /** @description Time between calls of two campaigns, and before a direct call */
                gap_seconds: number | null;
                /** @description Time between a conversation about a debt and the next call about one */
                after_conversation_hours: number | null;
            };
            /** @description Days after a call for which data is kept; null keeps it forever */
            retention: {
                /** @description Transcripts and the data extracted from them */
                transcripts_days: number | null;
                /** @description Recordings, at carriers as well */
                recordings_days: number | null;
                /** @description Values for prompts, of calls and of campaigns that are over */
                prompt_values_days: number | null;
                /** @description Whole calls; their cost stays in the usage */
                calls_days: number | null;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @example {
         *       "item_id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
         *       "item_name": "returns.pdf",
         *       "page": 2,
         *       "position": 4,
         *       "score": 0.83,
         *       "text": "Goods may be returned within 30 days.",
         *       "highlight": "Goods may be <mark>returned</mark> within 30 days."
         *     }
         */
        Passage: {
            item_id: string;
            item_name: string;
            /** @description The page on which it begins, from 1 */
            page: number;
            /** @description Its position among the passages of its item, from 0 */
            position: number;
            /** @description Higher is better; only comparable within one answer */
            score: number;
            text: string;
            /** @description The text as HTML, with matches in `<mark>` */
            highlight: string;
        };
        PersonExport: {
            phone_number: string;
            /** Format: date-time */
            exported_at: string;
            suppression: components["schemas"]["Suppression"] | null;
            recipients: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                campaign_id: string;
                campaign_name: string;
                state: string;
                attempts: number;
                round: number;
                last_outcome: string | null;
                timezone: string;
                prompt_params: {
                    [key: string]: unknown;
                } | null;
                first_attempt_at: string | null;
                next_attempt_at: string | null;
            }[];
            /** @description Newest first */
            calls: components["schemas"]["Call"][];
            /** @description False if there are more than fit: read the rest with `GET /calls?phone_number=` */
            complete: boolean;
        };
        PromptVersion: {
            level: number;
            prompt: string;
            explanation: string;
            mitigation: string;
            harmful_intents: unknown[];
            /** Format: uuid */
            agent_id: string;
            /** Format: uuid */
            organization_id: string;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @example {
         *       "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *       "agent_id": "0195d2f0-6b1a-7f3e-8c2d-4e5f6a7b8c9d",
         *       "campaign_id": null,
         *       "recipient_id": null,
         *       "attempt": 1,
         *       "phone_number": "+442079460958",
         *       "from_phone": "+15550100123",
         *       "outcome": "completed",
         *       "decision": "dialed",
         *       "refused_by": null,
         *       "decided_at": "2026-03-02T08:20:00.000Z",
         *       "conditions": [
         *         {
         *           "condition": "calling_hours",
         *           "verdict": "holds",
         *           "text": "Every rule that may apply at the location of the person allows a call at this time."
         *         }
         *       ],
         *       "grounds": {
         *         "calling_policy": "strict",
         *         "calling_key": "strict:GB",
         *         "zones": [
         *           {
         *             "zone": "Europe/London",
         *             "local_time": "2026-03-02T08:20:00"
         *           }
         *         ],
         *         "rules": [
         *           {
         *             "jurisdiction": "GB",
         *             "name": "United Kingdom",
         *             "version": 1,
         *             "basis": "practice",
         *             "citation": "DMA Code and Ofcom persistent misuse statement",
         *             "as_of": "2026-11-22",
         *             "zones": [
         *               "Europe/London"
         *             ]
         *           }
         *         ],
         *         "window": {
         *           "opens_at": "2026-03-02T08:00:00.000Z",
         *           "closes_at": "2026-03-02T17:00:00.000Z"
         *         },
         *         "calling_hours": {
         *           "opens_at": "2026-03-02T08:00:00.000Z",
         *           "closes_at": "2026-03-02T21:00:00.000Z"
         *         },
         *         "campaign": null
         *       },
         *       "person": {
         *         "calls": [
         *           {
         *             "calls": 3,
         *             "hours": 24,
         *             "made": 1
         *           }
         *         ],
         *         "gap_seconds": 14400,
         *         "after_conversation_hours": null,
         *         "last_call_at": "2026-03-01T09:20:00.000Z",
         *         "conversation_at": null
         *       },
         *       "consent": null,
         *       "scrub_lists": null,
         *       "suppression": null,
         *       "refusals": null,
         *       "as_of": "2026-03-03T08:20:00.000Z"
         *     }
         */
        Receipt: {
            /** Format: uuid */
            call_id: string;
            /** Format: uuid */
            agent_id: string;
            campaign_id: string | null;
            recipient_id: string | null;
            attempt: number;
            /** @description Null once the person has been erased */
            phone_number: string | null;
            /** @description The caller id; null if the provider chooses it */
            from_phone: string | null;
            outcome: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown") | null;
            /**
             * @description `waiting`: a direct call that waits for its gate
             * @enum {string}
             */
            decision: "dialed" | "waiting" | "not_dialed";
            /** @description Why it was not dialed: `no_line_in_time`, `suppressed`, `number_refused` or `hung_up`; null if it was dialed or waits */
            refused_by: string | null;
            /** @description When the gate opened */
            decided_at: string | null;
            conditions: {
                /** @description The reason of a refusal by this condition */
                condition: string;
                /**
                 * @description `not_applicable`: the condition does not apply, for example without caps
                 * @enum {string}
                 */
                verdict: "holds" | "fails" | "not_applicable";
                /** @description The question that it answers */
                text: string;
            }[];
            /** @description Null for calls from before grounds were recorded */
            grounds: {
                /** @enum {string} */
                calling_policy: "strict" | "standard" | "none";
                /** @description The possible jurisdictions and clocks of the person */
                calling_key: string;
                zones: {
                    zone: string;
                    /** @description yyyy-MM-ddTHH:mm:ss */
                    local_time: string;
                }[];
                /** @description The rules as they stood at the decision */
                rules: {
                    jurisdiction: string;
                    name: string;
                    version: number;
                    /** @description The overlay of the operator that has the rule; absent for built-in rules */
                    overlay?: string;
                    /** @enum {string} */
                    basis: "statute" | "regulation" | "code" | "practice";
                    citation: string;
                    /** @description When the text was last checked */
                    as_of: string;
                    /** @description The clocks by which it was applied */
                    zones: string[];
                }[];
                /** @description The window of the campaign, if it was open */
                window: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description When the rules allow calls, if they did */
                calling_hours: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The settings of the campaign at that revision; null for a direct call */
                campaign: {
                    revision: number;
                    start_time: string;
                    end_time: string;
                    call_on_weekend: boolean;
                    timezone: string;
                    call_back_attempts: number;
                    queue_again: boolean;
                    max_attempts_per_recipient: number | null;
                    retry_on: string[];
                    purpose: ("marketing" | "service" | "debt_collection") | null;
                    require_consent: boolean;
                    consent_bases: string[] | null;
                    /** @description Absent if the campaign names none */
                    scrub_lists?: string[];
                } | null;
            } | null;
            /** @description The caps per person and their counts; null without caps */
            person: {
                calls: {
                    calls: number;
                    hours: number;
                    made: number;
                }[];
                gap_seconds: number | null;
                after_conversation_hours: number | null;
                last_call_at: string | null;
                conversation_at: string | null;
            } | null;
            /** @description The consent that the dial relies on */
            consent: components["schemas"]["Consent"] | null;
            /** @description The scrub lists that the campaign needs, each with the instant of the version that was asked */
            scrub_lists: {
                name: string;
                scrubbed_at: string | null;
            }[] | null;
            /** @description The current entry of the suppression list */
            suppression: {
                reason: string | null;
                source: string | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
            } | null;
            /** @description How often gates refused the recipient; null for never */
            refusals: {
                total: number;
                /** @description Also attempts that were undone after a gate had let them through: `provider_deferred`, `not_sent`, `withdrawn_at_provider` */
                by_condition: {
                    [key: string]: number;
                };
                /** Format: date-time */
                first_at: string;
                last: {
                    condition: string;
                    /** Format: date-time */
                    at: string;
                    grounds: {
                        /** @enum {string} */
                        calling_policy: "strict" | "standard" | "none";
                        /** @description The possible jurisdictions and clocks of the person */
                        calling_key: string;
                        zones: {
                            zone: string;
                            /** @description yyyy-MM-ddTHH:mm:ss */
                            local_time: string;
                        }[];
                        /** @description The rules as they stood at the decision */
                        rules: {
                            jurisdiction: string;
                            name: string;
                            version: number;
                            /** @description The overlay of the operator that has the rule; absent for built-in rules */
                            overlay?: string;
                            /** @enum {string} */
                            basis: "statute" | "regulation" | "code" | "practice";
                            citation: string;
                            /** @description When the text was last checked */
                            as_of: string;
                            /** @description The clocks by which it was applied */
                            zones: string[];
                        }[];
                        /** @description The window of the campaign, if it was open */
                        window: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description When the rules allow calls, if they did */
                        calling_hours: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The settings of the campaign at that revision; null for a direct call */
                        campaign: {
                            revision: number;
                            start_time: string;
                            end_time: string;
                            call_on_weekend: boolean;
                            timezone: string;
                            call_back_attempts: number;
                            queue_again: boolean;
                            max_attempts_per_recipient: number | null;
                            retry_on: string[];
                            purpose: ("marketing" | "service" | "debt_collection") | null;
                            require_consent: boolean;
                            consent_bases: string[] | null;
                            /** @description Absent if the campaign names none */
                            scrub_lists?: string[];
                        } | null;
                    } | null;
                    person: {
                        calls: {
                            calls: number;
                            hours: number;
                            made: number;
                        }[];
                        gap_seconds: number | null;
                        after_conversation_hours: number | null;
                        last_call_at: string | null;
                        conversation_at: string | null;
                    } | null;
                };
            } | null;
            /** Format: date-time */
            as_of: string;
        };
        /**
         * @example {
         *       "id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *       "phone_number": "+15550100123",
         *       "state": "retrying",
         *       "attempts": 1,
         *       "round": 1,
         *       "last_outcome": "no_answer",
         *       "last_call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *       "next_attempt_at": "2026-03-02T15:20:00.000Z",
         *       "waiting_for": "retry",
         *       "timezone": "America/New_York",
         *       "prompt_params": {
         *         "name": "Ada"
         *       }
         *     }
         */
        Recipient: {
            /** Format: uuid */
            id: string;
            phone_number: string;
            /** @enum {string} */
            state: "waiting" | "retrying" | "in_call" | "reached" | "unreached" | "suppressed" | "withdrawn";
            attempts: number;
            round: number;
            last_outcome: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown") | null;
            last_call_id: string | null;
            /** @description The earliest instant of the next call, within the window; null if there is none */
            next_attempt_at: string | null;
            /** @description Null unless the recipient is `waiting` or `retrying` */
            waiting_for: ("window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "quota" | "error" | "campaign_not_running") | null;
            timezone: string;
            /** @description Its own; the campaign's come beside them */
            prompt_params: {
                [key: string]: string;
            } | null;
        };
        /**
         * @example {
         *       "campaign_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70",
         *       "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *       "phone_number": "+442079460958",
         *       "state": "waiting",
         *       "decision": "would_dial",
         *       "refused_by": null,
         *       "next_attempt_at": "2026-03-02T08:20:00.000Z",
         *       "waiting_for": null,
         *       "next_calling_hours_at": null,
         *       "person_free_at": null,
         *       "quota_left": null,
         *       "last_call_id": null,
         *       "conditions": [
         *         {
         *           "condition": "calling_hours",
         *           "verdict": "holds",
         *           "text": "Every rule that may apply at the location of the person allows a call at this time."
         *         }
         *       ],
         *       "grounds": {
         *         "calling_policy": "strict",
         *         "calling_key": "strict:GB",
         *         "zones": [
         *           {
         *             "zone": "Europe/London",
         *             "local_time": "2026-03-02T08:20:00"
         *           }
         *         ],
         *         "rules": [
         *           {
         *             "jurisdiction": "GB",
         *             "name": "United Kingdom",
         *             "version": 1,
         *             "basis": "practice",
         *             "citation": "DMA Code and Ofcom persistent misuse statement",
         *             "as_of": "2026-11-22",
         *             "zones": [
         *               "Europe/London"
         *             ]
         *           }
         *         ],
         *         "window": {
         *           "opens_at": "2026-03-02T08:00:00.000Z",
         *           "closes_at": "2026-03-02T17:00:00.000Z"
         *         },
         *         "calling_hours": {
         *           "opens_at": "2026-03-02T08:00:00.000Z",
         *           "closes_at": "2026-03-02T21:00:00.000Z"
         *         },
         *         "campaign": null
         *       },
         *       "person": {
         *         "calls": [
         *           {
         *             "calls": 3,
         *             "hours": 24,
         *             "made": 1
         *           }
         *         ],
         *         "gap_seconds": 14400,
         *         "after_conversation_hours": null,
         *         "last_call_at": "2026-03-01T09:20:00.000Z",
         *         "conversation_at": null
         *       },
         *       "consent": null,
         *       "scrub_lists": null,
         *       "suppression": null,
         *       "refusals": null,
         *       "as_of": "2026-03-02T08:20:00.000Z"
         *     }
         */
        RecipientExplanation: {
            /** Format: uuid */
            campaign_id: string;
            /** Format: uuid */
            recipient_id: string;
            phone_number: string;
            /** @enum {string} */
            state: "waiting" | "retrying" | "in_call" | "reached" | "unreached" | "suppressed" | "withdrawn";
            /**
             * @description The decision of the gate at `as_of` if the recipient were due and a line free
             * @enum {string}
             */
            decision: "would_dial" | "would_refuse";
            /** @description The first condition that fails */
            refused_by: string | null;
            next_attempt_at: string | null;
            waiting_for: ("window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "quota" | "error" | "campaign_not_running") | null;
            /** @description When calling hours open next; null if they are open, and if they never open */
            next_calling_hours_at: string | null;
            /** @description When the caps allow a call to the person */
            person_free_at: string | null;
            /** @description Calls left in the quota of the day; null without a quota */
            quota_left: number | null;
            /** @description The last call, which has a receipt of its own */
            last_call_id: string | null;
            conditions: {
                /** @description The reason of a refusal by this condition */
                condition: string;
                /**
                 * @description `not_applicable`: the condition does not apply, for example without caps
                 * @enum {string}
                 */
                verdict: "holds" | "fails" | "not_applicable";
                /** @description The question that it answers */
                text: string;
            }[];
            /** @description Null for calls from before grounds were recorded */
            grounds: {
                /** @enum {string} */
                calling_policy: "strict" | "standard" | "none";
                /** @description The possible jurisdictions and clocks of the person */
                calling_key: string;
                zones: {
                    zone: string;
                    /** @description yyyy-MM-ddTHH:mm:ss */
                    local_time: string;
                }[];
                /** @description The rules as they stood at the decision */
                rules: {
                    jurisdiction: string;
                    name: string;
                    version: number;
                    /** @description The overlay of the operator that has the rule; absent for built-in rules */
                    overlay?: string;
                    /** @enum {string} */
                    basis: "statute" | "regulation" | "code" | "practice";
                    citation: string;
                    /** @description When the text was last checked */
                    as_of: string;
                    /** @description The clocks by which it was applied */
                    zones: string[];
                }[];
                /** @description The window of the campaign, if it was open */
                window: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description When the rules allow calls, if they did */
                calling_hours: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The settings of the campaign at that revision; null for a direct call */
                campaign: {
                    revision: number;
                    start_time: string;
                    end_time: string;
                    call_on_weekend: boolean;
                    timezone: string;
                    call_back_attempts: number;
                    queue_again: boolean;
                    max_attempts_per_recipient: number | null;
                    retry_on: string[];
                    purpose: ("marketing" | "service" | "debt_collection") | null;
                    require_consent: boolean;
                    consent_bases: string[] | null;
                    /** @description Absent if the campaign names none */
                    scrub_lists?: string[];
                } | null;
            } | null;
            /** @description The caps per person and their counts; null without caps */
            person: {
                calls: {
                    calls: number;
                    hours: number;
                    made: number;
                }[];
                gap_seconds: number | null;
                after_conversation_hours: number | null;
                last_call_at: string | null;
                conversation_at: string | null;
            } | null;
            /** @description The consent that the dial relies on */
            consent: components["schemas"]["Consent"] | null;
            /** @description The scrub lists that the campaign needs, each with the instant of the version that was asked */
            scrub_lists: {
                name: string;
                scrubbed_at: string | null;
            }[] | null;
            /** @description The current entry of the suppression list */
            suppression: {
                reason: string | null;
                source: string | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
            } | null;
            /** @description How often gates refused the recipient; null for never */
            refusals: {
                total: number;
                /** @description Also attempts that were undone after a gate had let them through: `provider_deferred`, `not_sent`, `withdrawn_at_provider` */
                by_condition: {
                    [key: string]: number;
                };
                /** Format: date-time */
                first_at: string;
                last: {
                    condition: string;
                    /** Format: date-time */
                    at: string;
                    grounds: {
                        /** @enum {string} */
                        calling_policy: "strict" | "standard" | "none";
                        /** @description The possible jurisdictions and clocks of the person */
                        calling_key: string;
                        zones: {
                            zone: string;
                            /** @description yyyy-MM-ddTHH:mm:ss */
                            local_time: string;
                        }[];
                        /** @description The rules as they stood at the decision */
                        rules: {
                            jurisdiction: string;
                            name: string;
                            version: number;
                            /** @description The overlay of the operator that has the rule; absent for built-in rules */
                            overlay?: string;
                            /** @enum {string} */
                            basis: "statute" | "regulation" | "code" | "practice";
                            citation: string;
                            /** @description When the text was last checked */
                            as_of: string;
                            /** @description The clocks by which it was applied */
                            zones: string[];
                        }[];
                        /** @description The window of the campaign, if it was open */
                        window: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description When the rules allow calls, if they did */
                        calling_hours: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The settings of the campaign at that revision; null for a direct call */
                        campaign: {
                            revision: number;
                            start_time: string;
                            end_time: string;
                            call_on_weekend: boolean;
                            timezone: string;
                            call_back_attempts: number;
                            queue_again: boolean;
                            max_attempts_per_recipient: number | null;
                            retry_on: string[];
                            purpose: ("marketing" | "service" | "debt_collection") | null;
                            require_consent: boolean;
                            consent_bases: string[] | null;
                            /** @description Absent if the campaign names none */
                            scrub_lists?: string[];
                        } | null;
                    } | null;
                    person: {
                        calls: {
                            calls: number;
                            hours: number;
                            made: number;
                        }[];
                        gap_seconds: number | null;
                        after_conversation_hours: number | null;
                        last_call_at: string | null;
                        conversation_at: string | null;
                    } | null;
                };
            } | null;
            /** Format: date-time */
            as_of: string;
        };
        /**
         * @example {
         *       "deliveries": 12,
         *       "more": false
         *     }
         */
        Redelivered: {
            deliveries: number;
            /** @description Whether there are more; if so, request again */
            more: boolean;
        };
        /**
         * @example {
         *       "since": "2026-03-01T00:00:00Z"
         *     }
         */
        RedeliverSince: {
            /** Format: date-time */
            since: string;
        };
        /**
         * @example {
         *       "retried": 42,
         *       "status": "paused"
         *     }
         */
        RetriedRecipients: {
            /** @description How many wait for one more round */
            retried: number;
            /** @description Of the campaign; one that was finished is `paused` with them */
            status: string;
        };
        /**
         * @example {
         *       "outcomes": [
         *         "no_answer",
         *         "busy"
         *       ]
         *     }
         */
        RetryRecipients: {
            /** @description Retry the recipients that were not reached and whose last call had one of these outcomes */
            outcomes: ("no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown")[];
        };
        /**
         * @example {
         *       "reason": "said so in a call"
         *     }
         */
        RevokeConsent: {
            reason?: string | null;
        };
        /**
         * @default {
         *       "overlap_seconds": 86400
         *     }
         * @example {
         *       "overlap_seconds": 3600
         *     }
         */
        RotateApiKey: {
            /**
             * @description How long the old key stays valid
             * @default 86400
             */
            overlap_seconds?: number;
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14",
         *       "name": "us-national-dnc",
         *       "source": "National Do Not Call Registry",
         *       "account": "10034221-54321",
         *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
         *       "good_until": "2026-04-01T06:00:00.000Z",
         *       "created_at": "2026-02-01T09:00:05.000Z",
         *       "updated_at": "2026-03-01T09:00:05.000Z"
         *     }
         */
        ScrubList: {
            /** Format: uuid */
            id: string;
            name: string;
            source: string;
            /** @description The account that obtained the list */
            account: string | null;
            /** @description The time of the newest complete version; null before the first */
            scrubbed_at: string | null;
            /** @description 31 days after `scrubbed_at`. From then on, campaigns that need the list wait for a newer version */
            good_until: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ScrubListImport: {
            list: components["schemas"]["ScrubList"];
            /** @description Numbers that this version did not have */
            added: number;
            /** @description Skipped rows, by their position in `numbers`, from 1, or their line in the file */
            refused: {
                line: number;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "call_back_attempts": 2,
         *       "retry_delay_seconds": 900,
         *       "max_concurrent_calls": 20
         *     }
         */
        SetCampaignConfig: {
            /** @description The path's */
            campaign_id?: string | null;
            call_on_weekend?: boolean | null;
            queue_again?: boolean | null;
            call_back_attempts?: number | null;
            retry_delay_seconds?: number | null;
            /** @description Delays before the first call-back of a round, the second, …; the last one repeats. Or by outcome; other outcomes wait `retry_delay_seconds`. Null: always `retry_delay_seconds` */
            retry_delays_seconds?: (number[] | {
                [key: string]: number[];
            }) | null;
            retry_on?: ("no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown")[] | null;
            max_concurrent_calls?: number | null;
            /** @description Null: no limit */
            calls_per_second?: number | null;
            /** @description Null: no limit */
            max_attempts_per_recipient?: number | null;
            /** @description The reason for the calls: some rules apply to one purpose only. Null: unspecified */
            purpose?: ("marketing" | "service" | "debt_collection") | null;
            /** @description Dial only people with a consent in force that covers the purpose */
            require_consent?: boolean | null;
            /** @description The accepted bases; null for any */
            consent_bases?: ("prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry")[] | null;
            /** @description Numbers on one of these scrub lists are not dialed, and the campaign waits while one of the lists is older than 31 days. Null: none */
            scrub_lists?: string[] | null;
            priority?: number | null;
        };
        /**
         * @example {
         *       "status": "canceled",
         *       "hang_up": true
         *     }
         */
        SetCampaignStatus: {
            /** @enum {string} */
            status: "draft" | "paused" | "running" | "finished" | "canceled";
            /** @description With `canceled` or `finished`: ends the calls in progress as well */
            hang_up?: boolean | null;
        };
        /**
         * @example {
         *       "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *       "link": "https://outdial.example.com/console/sign-in#link=Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk",
         *       "expires_at": "2026-03-02T09:00:00.000Z"
         *     }
         */
        SignInLink: {
            /** Format: uuid */
            user_id: string;
            /** @description Signs the user in once; shown only once, because it is not stored */
            link: string;
            /** Format: date-time */
            expires_at: string;
        };
        /**
         * @example {
         *       "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
         *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *       "type": "transfer",
         *       "exec_order": "1",
         *       "enabled": true,
         *       "config": {
         *         "to": "+15551230100"
         *       }
         *     }
         */
        Skill: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            agent_id: string;
            type: string;
            exec_order: string;
            enabled: boolean;
            config: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "phone_number": "+15551230042",
         *       "reason": "asked not to be called",
         *       "source": "api",
         *       "note": "told the agent on 1 March",
         *       "created_by": {
         *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *         "first_name": "Ada",
         *         "last_name": "Lovelace"
         *       },
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "expires_at": null
         *     }
         */
        Suppression: {
            phone_number: string;
            reason: string | null;
            /** @description The source of the entry: `api`, `import`, or as given */
            source: string | null;
            note: string | null;
            /** @description Null for an operator */
            created_by: {
                /** Format: uuid */
                id: string;
                first_name: string;
                last_name: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** @description When the number may be dialed again; null for never */
            expires_at: string | null;
        };
        /**
         * @example {
         *       "added": 2,
         *       "known": 1,
         *       "refused": [
         *         {
         *           "line": 4,
         *           "phone_number": "+1•••3",
         *           "reason": "has a phone number that is too short"
         *         }
         *       ]
         *     }
         */
        SuppressionImport: {
            /** @description Numbers that were not on the list */
            added: number;
            /** @description Numbers that were */
            known: number;
            /** @description Skipped rows, by their line in the file, or their position in `items`, from 1; numbers are masked */
            refused: {
                line: number;
                phone_number: string;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
         *       "name": "billing"
         *     }
         */
        Tag: {
            name: string;
            /** Format: uuid */
            id: string;
        };
        /**
         * @example {
         *       "name": "Anna",
         *       "skills": [
         *         {
         *           "type": "transfer",
         *           "exec_order": "1",
         *           "config": {
         *             "to": "+15551230100"
         *           }
         *         }
         *       ]
         *     }
         */
        UpdateAgent: {
            name?: string;
            config?: {
                /** @description How the agent talks if Outdial itself is its voice runtime; fields of other runtimes are passed on unchanged */
                voice?: unknown | components["schemas"]["AgentVoice"];
                /** @description Legal requirements of a call */
                compliance?: {
                    /** @description A person who presses it is never called again by the organization; the agent should announce it */
                    opt_out_key?: string | null;
                    /** @description Whether its calls begin with a disclosure (who calls, that the voice is artificial, and how to stop); always under a calling policy */
                    disclose?: boolean;
                    /** @description Of the disclosure; `voice.language` unless given, else English */
                    language?: string;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description Replaces all skills of the agent */
            skills?: {
                type: string;
                exec_order: string;
                /** @default true */
                enabled?: boolean;
                /** @default {} */
                config?: {
                    [key: string]: unknown;
                };
            }[];
        };
        /**
         * @example {
         *       "state": "resting",
         *       "state_reason": "labeled as spam"
         *     }
         */
        UpdateCallerId: {
            prefixes?: string[];
            attestation?: ("A" | "B" | "C") | null;
            agent_id?: string | null;
            calls_per_day?: number;
            calls_per_hour?: number | null;
            warm_up_days?: number;
            /**
             * @description `retired` is for good
             * @enum {string}
             */
            state?: "active" | "resting" | "retired";
            state_reason?: string | null;
        };
        /**
         * @example {
         *       "end_date": "2026-04-30",
         *       "end_time": "18:00"
         *     }
         */
        UpdateCampaign: {
            name?: string | null;
            agent_id?: string | null;
            /** @description E.164, in the order of dialing; a repeated number is dialed once, at its first position */
            phone_numbers?: string[];
            start_date?: string | null;
            /** @description Null: open-ended */
            end_date?: string | null;
            start_time?: string | null;
            end_time?: string | null;
            organization_id?: string | null;
            additional_params?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @example {
         *       "name": "Deliveries and returns"
         *     }
         */
        UpdateKnowledgeBase: {
            name?: string | null;
            description?: string | null;
            organization_id?: string | null;
        };
        /**
         * @example {
         *       "name": "Acme",
         *       "timezone": "Europe/Berlin",
         *       "retention": {
         *         "transcripts_days": 90,
         *         "recordings_days": 30,
         *         "prompt_values_days": 90,
         *         "calls_days": null
         *       }
         *     }
         */
        UpdateOrganization: {
            name?: string;
            timezone?: string;
            /**
             * @description The calling hours to enforce: `strict` by country and region, `standard` by country only, `none` for the windows of campaigns only
             * @enum {string}
             */
            calling_policy?: "strict" | "standard" | "none";
            retention?: {
                /** @description Transcripts and the data extracted from them */
                transcripts_days?: number | null;
                /** @description Recordings, at carriers as well */
                recordings_days?: number | null;
                /** @description Values for prompts, of calls and of campaigns that are over */
                prompt_values_days?: number | null;
                /** @description Whole calls; their cost stays in the usage */
                calls_days?: number | null;
            };
        };
        /**
         * @example {
         *       "role": "viewer"
         *     }
         * @example {
         *       "disabled": true
         *     }
         */
        UpdateUser: {
            email?: string;
            first_name?: string;
            last_name?: string;
            /**
             * @description No key and no token of the user exceeds it
             * @enum {string}
             */
            role?: "viewer" | "member" | "manager" | "admin";
            disabled?: boolean;
            /**
             * @description Whether to refuse the tokens that were issued to the user until now
             * @constant
             */
            revoke_tokens?: true;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        UpdateWebhookEndpoint: {
            /** Format: uri */
            url?: string;
            /** @description Types of events, or `*` for all */
            events?: ("*" | "call.started" | "call.answered" | "call.ended" | "call.updated" | "recipient.finished" | "campaign.started" | "campaign.paused" | "campaign.finished" | "campaign.canceled" | "campaign.blocked" | "knowledge_base_item.ready" | "knowledge_base_item.failed" | "suppression.added")[];
            description?: string;
            enabled?: boolean;
        };
        /**
         * @example {
         *       "day": "2026-03-01",
         *       "calls": 120,
         *       "minutes": 214.5,
         *       "cost": 9.6,
         *       "outcomes": {
         *         "completed": 80,
         *         "no_answer": 40
         *       }
         *     }
         */
        Usage: {
            /** @description With `by=day`, in the time zone of the organization */
            day?: string;
            /** @description With `by=campaign`; null for direct calls */
            campaign_id?: string | null;
            /**
             * Format: uuid
             * @description With `by=agent`
             */
            agent_id?: string;
            calls: number;
            /** @description Of conversation */
            minutes: number;
            cost: number;
            /** @description Ended calls by outcome; calls in progress are not counted */
            outcomes: {
                [key: string]: number;
            };
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
         *       "email": "ada@example.com",
         *       "first_name": "Ada",
         *       "last_name": "Lovelace",
         *       "role": "manager",
         *       "disabled": false,
         *       "disabled_at": null,
         *       "tokens_not_before": null,
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z"
         *     }
         */
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            first_name: string;
            last_name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
            /** @description Whether keys and tokens of the user are refused */
            disabled: boolean;
            disabled_at: string | null;
            /** @description Tokens issued before this time are refused */
            tokens_not_before: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ValidationError: {
            detail: components["schemas"]["ValidationErrorEntry"][];
        };
        ValidationErrorEntry: {
            loc: (string | number)[];
            msg: string;
            /** @enum {string} */
            type: "missing" | "string_type" | "string_too_short" | "string_too_long" | "string_pattern_mismatch" | "string_unicode" | "int_type" | "int_parsing" | "float_type" | "bool_type" | "list_type" | "dict_type" | "file_type" | "uuid_parsing" | "datetime_parsing" | "enum" | "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal" | "too_short" | "too_long" | "extra_forbidden" | "value_error";
        };
        WaitingDetail: {
            /** @description For a person to read: the reason for waiting, and until when */
            message: string;
            /** @description How to end the wait */
            remedy: string;
            /** @description When it ends, if that is known */
            until: string | null;
            /** @description Of the window that opens next */
            timezone: string | null;
            /** @description The cap or the pace that was reached */
            limit: number | null;
            /** @description Lines of it that are in use */
            in_use: number | null;
            /** @description The campaigns of this organization with most of these lines */
            held_by: {
                /** Format: uuid */
                campaign_id: string;
                name: string;
                lines: number;
            }[] | null;
            provider: string | null;
            /** @description The provider's */
            last_error: string | null;
            /** @description Since when the campaign has dialed nothing for a cause that does not go away with time */
            blocked_since: string | null;
        };
        Warning: {
            /** @enum {string} */
            code: "unknown_field" | "prompt_value_missing" | "prompt_single_braces" | "open_all_day" | "open_at_night" | "default_timezone" | "starts_in_the_past" | "never_open" | "stored_instants_stay" | "would_be_refused";
            loc: (string | number)[];
            msg: string;
        };
        /**
         * @example {
         *       "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *       "url": "wss://voice.example.com/web",
         *       "token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmciOiIwMTk3In0.c2lnbmF0dXJl",
         *       "expires_at": "2026-03-02T15:05:04.000Z"
         *     }
         */
        WebCall: {
            /** Format: uuid */
            call_id: string;
            /** @description The websocket that the browser opens, with `?token=` and the token */
            url: string;
            /** @description Good for one connection, until `expires_at` */
            token: string;
            /** Format: date-time */
            expires_at: string;
        };
        /**
         * @example {
         *       "id": "0195d2f6-5f70-7182-9394-0f1a2b3c4d5e",
         *       "endpoint_id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
         *       "event_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "event_type": "call.ended",
         *       "status": "pending",
         *       "attempts": 1,
         *       "next_attempt_at": "2026-03-02T15:09:56.000Z",
         *       "last_attempt_at": "2026-03-02T15:04:51.000Z",
         *       "response_status": 500,
         *       "error": "the endpoint answered 500",
         *       "duration_ms": 87,
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "delivered_at": null
         *     }
         */
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** Format: uuid */
            event_id: string;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            next_attempt_at: string | null;
            last_attempt_at: string | null;
            /** @description The HTTP status of the last attempt */
            response_status: number | null;
            /** @description Why the last attempt failed */
            error: string | null;
            duration_ms: number | null;
            /** Format: date-time */
            created_at: string;
            delivered_at: string | null;
        };
        /**
         * @example {
         *       "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "url": "https://example.com/outdial",
         *       "events": [
         *         "call.ended",
         *         "campaign.finished"
         *       ],
         *       "description": "CRM",
         *       "enabled": true,
         *       "disabled_reason": null,
         *       "failing_since": null,
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z"
         *     }
         */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            url: string;
            events: string[];
            description: string;
            enabled: boolean;
            /** @description Why the service disabled it: it answered 410, or only failures for five days */
            disabled_reason: ("gone" | "failing") | null;
            failing_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @example {
         *       "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "url": "https://example.com/outdial",
         *       "events": [
         *         "call.ended",
         *         "campaign.finished"
         *       ],
         *       "description": "CRM",
         *       "enabled": true,
         *       "disabled_reason": null,
         *       "failing_since": null,
         *       "created_at": "2026-03-01T09:00:00.000Z",
         *       "updated_at": "2026-03-01T09:00:00.000Z",
         *       "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
         *     }
         */
        WebhookEndpointWithSecret: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            url: string;
            events: string[];
            description: string;
            enabled: boolean;
            /** @description Why the service disabled it: it answered 410, or only failures for five days */
            disabled_reason: ("gone" | "failing") | null;
            failing_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Verifies signatures. Shown only here. */
            secret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    makeCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to_phone": "+15550100123",
                 *       "prompt_params": {
                 *         "name": "Ada"
                 *       },
                 *       "meta": {
                 *         "order": "A-1042"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MakeCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "provider": "phone_outbound",
                     *         "status": "finish",
                     *         "type": "outbound",
                     *         "phone_number": "+15550100123",
                     *         "conversation_id": "CA0001",
                     *         "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *         "duration": 42,
                     *         "cost": 0.021,
                     *         "notes": null,
                     *         "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *         "events": [
                     *           {
                     *             "type": "ringing",
                     *             "at": "2026-03-02T15:04:05.000Z"
                     *           },
                     *           {
                     *             "type": "answered",
                     *             "at": "2026-03-02T15:04:08.000Z"
                     *           },
                     *           {
                     *             "type": "ended",
                     *             "at": "2026-03-02T15:04:50.000Z",
                     *             "outcome": "completed"
                     *           }
                     *         ],
                     *         "prompt_params": {
                     *           "name": "Ada",
                     *           "company": "Acme"
                     *         },
                     *         "call_extract": {
                     *           "wants_delivery": true
                     *         },
                     *         "external_last_status": "completed",
                     *         "meta": {
                     *           "outcome": "completed",
                     *           "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *           "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *           "attempt": 1
                     *         },
                     *         "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *         "comments": null,
                     *         "quality": 4,
                     *         "created_by": {
                     *           "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *           "first_name": "Grace",
                     *           "last_name": "Hopper"
                     *         },
                     *         "created_at": "2026-03-02T15:04:04.000Z",
                     *         "tags": [
                     *           {
                     *             "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *             "name": "billing"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Call"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makeWebCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "prompt_params": {
                 *         "name": "Ada"
                 *       },
                 *       "meta": {
                 *         "page": "pricing"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MakeWebCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "url": "wss://voice.example.com/web",
                     *         "token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmciOiIwMTk3In0.c2lnbmF0dXJl",
                     *         "expires_at": "2026-03-02T15:05:04.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebCall"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "name": "Spring",
                     *             "organization": {
                     *               "name": "Spring"
                     *             },
                     *             "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "skills": [
                     *               {
                     *                 "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
                     *                 "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *                 "type": "transfer",
                     *                 "exec_order": "1",
                     *                 "enabled": true,
                     *                 "config": {
                     *                   "to": "+15551230100"
                     *                 }
                     *               }
                     *             ],
                     *             "latest_prompt": {
                     *               "level": 1,
                     *               "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
                     *               "explanation": "Asks after deliveries",
                     *               "mitigation": "",
                     *               "harmful_intents": [],
                     *               "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *               "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *             },
                     *             "config": {}
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Agent"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Anna",
                 *       "config": {
                 *         "voice": "calm"
                 *       },
                 *       "skills": [
                 *         {
                 *           "type": "transfer",
                 *           "exec_order": "1",
                 *           "config": {
                 *             "to": "+15551230100"
                 *           }
                 *         }
                 *       ],
                 *       "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived."
                 *     }
                 */
                "application/json": components["schemas"]["CreateAgent"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "name": "Spring",
                     *         "organization": {
                     *           "name": "Spring"
                     *         },
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "skills": [
                     *           {
                     *             "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "type": "transfer",
                     *             "exec_order": "1",
                     *             "enabled": true,
                     *             "config": {
                     *               "to": "+15551230100"
                     *             }
                     *           }
                     *         ],
                     *         "latest_prompt": {
                     *           "level": 1,
                     *           "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
                     *           "explanation": "Asks after deliveries",
                     *           "mitigation": "",
                     *           "harmful_intents": [],
                     *           "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *           "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *         },
                     *         "config": {}
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Agent"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "name": "Spring",
                     *         "organization": {
                     *           "name": "Spring"
                     *         },
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "skills": [
                     *           {
                     *             "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "type": "transfer",
                     *             "exec_order": "1",
                     *             "enabled": true,
                     *             "config": {
                     *               "to": "+15551230100"
                     *             }
                     *           }
                     *         ],
                     *         "latest_prompt": {
                     *           "level": 1,
                     *           "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
                     *           "explanation": "Asks after deliveries",
                     *           "mitigation": "",
                     *           "harmful_intents": [],
                     *           "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *           "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *         },
                     *         "config": {}
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Agent"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Anna",
                 *       "skills": [
                 *         {
                 *           "type": "transfer",
                 *           "exec_order": "1",
                 *           "config": {
                 *             "to": "+15551230100"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAgent"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "name": "Spring",
                     *         "organization": {
                     *           "name": "Spring"
                     *         },
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "skills": [
                     *           {
                     *             "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "type": "transfer",
                     *             "exec_order": "1",
                     *             "enabled": true,
                     *             "config": {
                     *               "to": "+15551230100"
                     *             }
                     *           }
                     *         ],
                     *         "latest_prompt": {
                     *           "level": 1,
                     *           "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
                     *           "explanation": "Asks after deliveries",
                     *           "mitigation": "",
                     *           "harmful_intents": [],
                     *           "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *           "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *         },
                     *         "config": {}
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Agent"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "name": "Spring",
                     *         "organization": {
                     *           "name": "Spring"
                     *         },
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "skills": [
                     *           {
                     *             "id": "0195d2f7-6081-7293-84a5-1a2b3c4d5e6f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "type": "transfer",
                     *             "exec_order": "1",
                     *             "enabled": true,
                     *             "config": {
                     *               "to": "+15551230100"
                     *             }
                     *           }
                     *         ],
                     *         "latest_prompt": {
                     *           "level": 1,
                     *           "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived.",
                     *           "explanation": "Asks after deliveries",
                     *           "mitigation": "",
                     *           "harmful_intents": [],
                     *           "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *           "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *         },
                     *         "config": {}
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Agent"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAgentCalls: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
                campaign_id?: string;
                agent_id?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description As in `meta.outcome` */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description From this instant on */
                from?: string;
                /** @description Before this instant */
                to?: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "name": "Spring",
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "config": {},
                     *         "calls": [
                     *           {
                     *             "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "provider": "phone_outbound",
                     *             "status": "finish",
                     *             "type": "outbound",
                     *             "phone_number": "+15550100123",
                     *             "conversation_id": "CA0001",
                     *             "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *             "duration": 42,
                     *             "cost": 0.021,
                     *             "notes": null,
                     *             "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *             "events": [
                     *               {
                     *                 "type": "ringing",
                     *                 "at": "2026-03-02T15:04:05.000Z"
                     *               },
                     *               {
                     *                 "type": "answered",
                     *                 "at": "2026-03-02T15:04:08.000Z"
                     *               },
                     *               {
                     *                 "type": "ended",
                     *                 "at": "2026-03-02T15:04:50.000Z",
                     *                 "outcome": "completed"
                     *               }
                     *             ],
                     *             "prompt_params": {
                     *               "name": "Ada",
                     *               "company": "Acme"
                     *             },
                     *             "call_extract": {
                     *               "wants_delivery": true
                     *             },
                     *             "external_last_status": "completed",
                     *             "meta": {
                     *               "outcome": "completed",
                     *               "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *               "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *               "attempt": 1
                     *             },
                     *             "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *             "comments": null,
                     *             "quality": 4,
                     *             "created_by": {
                     *               "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *               "first_name": "Grace",
                     *               "last_name": "Hopper"
                     *             },
                     *             "created_at": "2026-03-02T15:04:04.000Z",
                     *             "tags": [
                     *               {
                     *                 "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *                 "name": "billing"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["AgentCalls"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPrompts: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "level": -9007199254740991,
                     *             "prompt": "text",
                     *             "explanation": "text",
                     *             "mitigation": "text",
                     *             "harmful_intents": [
                     *               null
                     *             ],
                     *             "agent_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "created_at": "2026-03-02T15:04:05.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["PromptVersion"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addPrompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "You are Anna from Acme. Ask {{name}} whether the delivery has arrived."
                 *     }
                 */
                "application/json": components["schemas"]["AddPrompt"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "level": -9007199254740991,
                     *         "prompt": "text",
                     *         "explanation": "text",
                     *         "mitigation": "text",
                     *         "harmful_intents": [
                     *           null
                     *         ],
                     *         "agent_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T15:04:05.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["PromptVersion"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                campaign_id?: string;
                agent_id?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description As in `meta.outcome` */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description From this instant on */
                from?: string;
                /** @description Before this instant */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "provider": "phone_outbound",
                     *             "status": "finish",
                     *             "type": "outbound",
                     *             "phone_number": "+15550100123",
                     *             "conversation_id": "CA0001",
                     *             "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *             "duration": 42,
                     *             "cost": 0.021,
                     *             "notes": null,
                     *             "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *             "events": [
                     *               {
                     *                 "type": "ringing",
                     *                 "at": "2026-03-02T15:04:05.000Z"
                     *               },
                     *               {
                     *                 "type": "answered",
                     *                 "at": "2026-03-02T15:04:08.000Z"
                     *               },
                     *               {
                     *                 "type": "ended",
                     *                 "at": "2026-03-02T15:04:50.000Z",
                     *                 "outcome": "completed"
                     *               }
                     *             ],
                     *             "prompt_params": {
                     *               "name": "Ada",
                     *               "company": "Acme"
                     *             },
                     *             "call_extract": {
                     *               "wants_delivery": true
                     *             },
                     *             "external_last_status": "completed",
                     *             "meta": {
                     *               "outcome": "completed",
                     *               "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *               "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *               "attempt": 1
                     *             },
                     *             "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *             "comments": null,
                     *             "quality": 4,
                     *             "created_by": {
                     *               "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *               "first_name": "Grace",
                     *               "last_name": "Hopper"
                     *             },
                     *             "created_at": "2026-03-02T15:04:04.000Z",
                     *             "tags": [
                     *               {
                     *                 "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *                 "name": "billing"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Call"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "provider": "phone_outbound",
                     *         "status": "finish",
                     *         "type": "outbound",
                     *         "phone_number": "+15550100123",
                     *         "conversation_id": "CA0001",
                     *         "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *         "duration": 42,
                     *         "cost": 0.021,
                     *         "notes": null,
                     *         "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *         "events": [
                     *           {
                     *             "type": "ringing",
                     *             "at": "2026-03-02T15:04:05.000Z"
                     *           },
                     *           {
                     *             "type": "answered",
                     *             "at": "2026-03-02T15:04:08.000Z"
                     *           },
                     *           {
                     *             "type": "ended",
                     *             "at": "2026-03-02T15:04:50.000Z",
                     *             "outcome": "completed"
                     *           }
                     *         ],
                     *         "prompt_params": {
                     *           "name": "Ada",
                     *           "company": "Acme"
                     *         },
                     *         "call_extract": {
                     *           "wants_delivery": true
                     *         },
                     *         "external_last_status": "completed",
                     *         "meta": {
                     *           "outcome": "completed",
                     *           "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *           "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *           "attempt": 1
                     *         },
                     *         "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *         "comments": null,
                     *         "quality": 4,
                     *         "created_by": {
                     *           "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *           "first_name": "Grace",
                     *           "last_name": "Hopper"
                     *         },
                     *         "created_at": "2026-03-02T15:04:04.000Z",
                     *         "tags": [
                     *           {
                     *             "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *             "name": "billing"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Call"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    annotateCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "notes": "Asked for a call after six",
                 *       "quality": 4,
                 *       "tags": [
                 *         "callback",
                 *         "billing"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AnnotateCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "provider": "phone_outbound",
                     *         "status": "finish",
                     *         "type": "outbound",
                     *         "phone_number": "+15550100123",
                     *         "conversation_id": "CA0001",
                     *         "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *         "duration": 42,
                     *         "cost": 0.021,
                     *         "notes": null,
                     *         "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *         "events": [
                     *           {
                     *             "type": "ringing",
                     *             "at": "2026-03-02T15:04:05.000Z"
                     *           },
                     *           {
                     *             "type": "answered",
                     *             "at": "2026-03-02T15:04:08.000Z"
                     *           },
                     *           {
                     *             "type": "ended",
                     *             "at": "2026-03-02T15:04:50.000Z",
                     *             "outcome": "completed"
                     *           }
                     *         ],
                     *         "prompt_params": {
                     *           "name": "Ada",
                     *           "company": "Acme"
                     *         },
                     *         "call_extract": {
                     *           "wants_delivery": true
                     *         },
                     *         "external_last_status": "completed",
                     *         "meta": {
                     *           "outcome": "completed",
                     *           "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *           "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *           "attempt": 1
                     *         },
                     *         "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *         "comments": null,
                     *         "quality": 4,
                     *         "created_by": {
                     *           "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *           "first_name": "Grace",
                     *           "last_name": "Hopper"
                     *         },
                     *         "created_at": "2026-03-02T15:04:04.000Z",
                     *         "tags": [
                     *           {
                     *             "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *             "name": "billing"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Call"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    hangUpCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "provider": "phone_outbound",
                     *         "status": "finish",
                     *         "type": "outbound",
                     *         "phone_number": "+15550100123",
                     *         "conversation_id": "CA0001",
                     *         "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *         "duration": 42,
                     *         "cost": 0.021,
                     *         "notes": null,
                     *         "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *         "events": [
                     *           {
                     *             "type": "ringing",
                     *             "at": "2026-03-02T15:04:05.000Z"
                     *           },
                     *           {
                     *             "type": "answered",
                     *             "at": "2026-03-02T15:04:08.000Z"
                     *           },
                     *           {
                     *             "type": "ended",
                     *             "at": "2026-03-02T15:04:50.000Z",
                     *             "outcome": "completed"
                     *           }
                     *         ],
                     *         "prompt_params": {
                     *           "name": "Ada",
                     *           "company": "Acme"
                     *         },
                     *         "call_extract": {
                     *           "wants_delivery": true
                     *         },
                     *         "external_last_status": "completed",
                     *         "meta": {
                     *           "outcome": "completed",
                     *           "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *           "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *           "attempt": 1
                     *         },
                     *         "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *         "comments": null,
                     *         "quality": 4,
                     *         "created_by": {
                     *           "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *           "first_name": "Grace",
                     *           "last_name": "Hopper"
                     *         },
                     *         "created_at": "2026-03-02T15:04:04.000Z",
                     *         "tags": [
                     *           {
                     *             "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *             "name": "billing"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Call"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCallRecording: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023` */
                Range?: string;
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audio */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": unknown;
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The recording has no such part */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *             "name": "billing"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Tag"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
                /** @description `summary` omits `phone_numbers` and `additional_params`, and adds `meta.progress` */
                fields?: "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "created_at": "2026-03-02T13:58:00.000Z",
                     *             "name": "Spring",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "status": "running",
                     *             "start_date": "2026-03-02T14:00:00.000Z",
                     *             "end_date": "2026-03-31T21:30:00.000Z",
                     *             "start_time": "09:00",
                     *             "end_time": "17:30",
                     *             "phone_numbers": [
                     *               "+15550100123",
                     *               "+15550100124"
                     *             ],
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "additional_params": {
                     *               "timezone": "America/New_York",
                     *               "recipients": {
                     *                 "+15550100123": {
                     *                   "prompt_params": {
                     *                     "name": "Ada"
                     *                   }
                     *                 }
                     *               }
                     *             }
                     *           }
                     *         ],
                     *         "page": -9007199254740991,
                     *         "size": -9007199254740991,
                     *         "total": -9007199254740991,
                     *         "pages": -9007199254740991,
                     *         "previous_page": -9007199254740991,
                     *         "next_page": -9007199254740991
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: (components["schemas"]["CampaignPage"] | components["schemas"]["CampaignSummaryPage"]) | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring",
                 *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                 *       "phone_numbers": [
                 *         "+15550100123",
                 *         "+15550100124"
                 *       ],
                 *       "start_date": "2026-03-02",
                 *       "end_date": "2026-03-31",
                 *       "start_time": "09:00",
                 *       "end_time": "17:30",
                 *       "additional_params": {
                 *         "timezone": "America/New_York",
                 *         "prompt_params": {
                 *           "company": "Acme"
                 *         },
                 *         "recipients": {
                 *           "+15550100123": {
                 *             "prompt_params": {
                 *               "name": "Ada"
                 *             }
                 *           },
                 *           "+15550100124": {
                 *             "prompt_params": {
                 *               "name": "Grace"
                 *             },
                 *             "timezone": "America/Chicago"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateCampaign"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "name": "Spring",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "status": "running",
                     *         "start_date": "2026-03-02T14:00:00.000Z",
                     *         "end_date": "2026-03-31T21:30:00.000Z",
                     *         "start_time": "09:00",
                     *         "end_time": "17:30",
                     *         "phone_numbers": [
                     *           "+15550100123",
                     *           "+15550100124"
                     *         ],
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "additional_params": {
                     *           "timezone": "America/New_York",
                     *           "recipients": {
                     *             "+15550100123": {
                     *               "prompt_params": {
                     *                 "name": "Ada"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Campaign"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaign: {
        parameters: {
            query?: {
                /** @description `summary` omits `phone_numbers` and `additional_params`, and adds `meta.progress` */
                fields?: "summary";
            };
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "name": "Spring",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "status": "running",
                     *         "start_date": "2026-03-02T14:00:00.000Z",
                     *         "end_date": "2026-03-31T21:30:00.000Z",
                     *         "start_time": "09:00",
                     *         "end_time": "17:30",
                     *         "phone_numbers": [
                     *           "+15550100123",
                     *           "+15550100124"
                     *         ],
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "additional_params": {
                     *           "timezone": "America/New_York",
                     *           "recipients": {
                     *             "+15550100123": {
                     *               "prompt_params": {
                     *                 "name": "Ada"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: (components["schemas"]["Campaign"] | components["schemas"]["CampaignSummary"]) | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "end_date": "2026-04-30",
                 *       "end_time": "18:00"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCampaign"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "name": "Spring",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "status": "running",
                     *         "start_date": "2026-03-02T14:00:00.000Z",
                     *         "end_date": "2026-03-31T21:30:00.000Z",
                     *         "start_time": "09:00",
                     *         "end_time": "17:30",
                     *         "phone_numbers": [
                     *           "+15550100123",
                     *           "+15550100124"
                     *         ],
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "additional_params": {
                     *           "timezone": "America/New_York",
                     *           "recipients": {
                     *             "+15550100123": {
                     *               "prompt_params": {
                     *                 "name": "Ada"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Campaign"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T15:04:05.000Z",
                     *         "name": "Spring",
                     *         "agent_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "status": "draft",
                     *         "start_date": "2026-03-02T15:04:05.000Z",
                     *         "end_date": "2026-03-02T15:04:05.000Z",
                     *         "start_time": "text",
                     *         "end_time": "text",
                     *         "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "timezone": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CampaignSummary"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setCampaignStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "canceled",
                 *       "hang_up": true
                 *     }
                 */
                "application/json": components["schemas"]["SetCampaignStatus"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "name": "Spring",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "status": "running",
                     *         "start_date": "2026-03-02T14:00:00.000Z",
                     *         "end_date": "2026-03-31T21:30:00.000Z",
                     *         "start_time": "09:00",
                     *         "end_time": "17:30",
                     *         "phone_numbers": [
                     *           "+15550100123",
                     *           "+15550100124"
                     *         ],
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "additional_params": {
                     *           "timezone": "America/New_York",
                     *           "recipients": {
                     *             "+15550100123": {
                     *               "prompt_params": {
                     *                 "name": "Ada"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Campaign"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ef-6b0a-7d1c-8e2f-1a2b3c4d5e6f",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "call_on_weekend": false,
                     *         "queue_again": false,
                     *         "call_back_attempts": 2,
                     *         "retry_delay_seconds": 900,
                     *         "retry_delays_seconds": [
                     *           900,
                     *           3600,
                     *           86400
                     *         ],
                     *         "retry_on": [
                     *           "no_answer",
                     *           "busy"
                     *         ],
                     *         "max_concurrent_calls": 10,
                     *         "calls_per_second": null,
                     *         "max_attempts_per_recipient": null,
                     *         "priority": 0,
                     *         "purpose": null,
                     *         "require_consent": false,
                     *         "consent_bases": null,
                     *         "scrub_lists": [
                     *           "us-national-dnc"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CampaignConfig"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setCampaignConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "call_back_attempts": 2,
                 *       "retry_delay_seconds": 900,
                 *       "max_concurrent_calls": 20
                 *     }
                 */
                "application/json": components["schemas"]["SetCampaignConfig"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2ef-6b0a-7d1c-8e2f-1a2b3c4d5e6f",
                     *         "created_at": "2026-03-02T13:58:00.000Z",
                     *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *         "call_on_weekend": false,
                     *         "queue_again": false,
                     *         "call_back_attempts": 2,
                     *         "retry_delay_seconds": 900,
                     *         "retry_delays_seconds": [
                     *           900,
                     *           3600,
                     *           86400
                     *         ],
                     *         "retry_on": [
                     *           "no_answer",
                     *           "busy"
                     *         ],
                     *         "max_concurrent_calls": 10,
                     *         "calls_per_second": null,
                     *         "max_attempts_per_recipient": null,
                     *         "priority": 0,
                     *         "purpose": null,
                     *         "require_consent": false,
                     *         "consent_bases": null,
                     *         "scrub_lists": [
                     *           "us-national-dnc"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CampaignConfig"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "status": "running",
                     *         "recipients": {
                     *           "total": 1200,
                     *           "waiting": 640,
                     *           "retrying": 75,
                     *           "in_call": 10,
                     *           "reached": 402,
                     *           "unreached": 60,
                     *           "suppressed": 8,
                     *           "withdrawn": 5
                     *         },
                     *         "outcomes": {
                     *           "completed": 402,
                     *           "no_answer": 98,
                     *           "busy": 21,
                     *           "voicemail": 16
                     *         },
                     *         "dials": 561,
                     *         "lines_in_use": 10,
                     *         "max_concurrent_calls": 10,
                     *         "calls_last_minute": 14,
                     *         "next_dial_at": "2026-03-02T15:04:10.000Z",
                     *         "waiting_for": "campaign_line",
                     *         "waiting_detail": {
                     *           "message": "All 10 lines of this campaign are in use.",
                     *           "remedy": "Raise max_concurrent_calls in the config of the campaign, or wait for calls to end.",
                     *           "until": null,
                     *           "timezone": null,
                     *           "limit": 10,
                     *           "in_use": 10,
                     *           "held_by": null,
                     *           "provider": null,
                     *           "last_error": null,
                     *           "blocked_since": null
                     *         },
                     *         "first_dial_at": "2026-03-02T14:00:00.120Z",
                     *         "last_dial_at": "2026-03-02T15:04:09.310Z",
                     *         "estimated_end_at": "2026-03-02T15:55:11.000Z",
                     *         "as_of": "2026-03-02T15:04:11.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CampaignProgress"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                state?: "waiting" | "retrying" | "in_call" | "reached" | "unreached" | "suppressed" | "withdrawn";
                /** @description Of the last call */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description E.164 */
                phone_number?: string;
            };
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *             "phone_number": "+15550100123",
                     *             "state": "retrying",
                     *             "attempts": 1,
                     *             "round": 1,
                     *             "last_outcome": "no_answer",
                     *             "last_call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *             "next_attempt_at": "2026-03-02T15:20:00.000Z",
                     *             "waiting_for": "retry",
                     *             "timezone": "America/New_York",
                     *             "prompt_params": {
                     *               "name": "Ada"
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Recipient"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addRecipients: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recipients": [
                 *         {
                 *           "phone_number": "+15550100123",
                 *           "prompt_params": {
                 *             "name": "Ada"
                 *           }
                 *         },
                 *         {
                 *           "phone_number": "+442079460958",
                 *           "timezone": "Europe/London"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AddRecipients"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "added": 2,
                     *         "already_there": 0,
                     *         "refused": [
                     *           {
                     *             "index": 2,
                     *             "phone_number": "•••",
                     *             "reason": "phone_number: Input should be a phone number in E.164 format, such as +15550100123"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["AddedRecipients"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawRecipient: {
        parameters: {
            query?: {
                /** @description Ends a call in progress too */
                hang_up?: boolean;
            };
            header?: never;
            path: {
                campaign_id: string;
                recipient_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *         "phone_number": "+15550100123",
                     *         "state": "retrying",
                     *         "attempts": 1,
                     *         "round": 1,
                     *         "last_outcome": "no_answer",
                     *         "last_call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "next_attempt_at": "2026-03-02T15:20:00.000Z",
                     *         "waiting_for": "retry",
                     *         "timezone": "America/New_York",
                     *         "prompt_params": {
                     *           "name": "Ada"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Recipient"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryRecipients: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcomes": [
                 *         "no_answer",
                 *         "busy"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RetryRecipients"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "retried": 42,
                     *         "status": "paused"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["RetriedRecipients"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    forecastCampaign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seed": 1
                 *     }
                 */
                "application/json": components["schemas"]["ForecastRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "campaign_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70",
                     *         "as_of": "2026-03-02T08:20:00.000Z",
                     *         "seed": 1,
                     *         "people": 1000,
                     *         "skipped": [
                     *           {
                     *             "reason": "suppressed",
                     *             "count": 12
                     *           }
                     *         ],
                     *         "end": {
                     *           "p10": "2026-03-03T10:05:00.000Z",
                     *           "p50": "2026-03-03T10:40:00.000Z",
                     *           "p90": "2026-03-03T11:20:00.000Z"
                     *         },
                     *         "dials": 1640,
                     *         "reached": 610,
                     *         "days": [
                     *           {
                     *             "date": "2026-03-02",
                     *             "zone": "Europe/London",
                     *             "people": 988,
                     *             "dials": 1100
                     *           }
                     *         ],
                     *         "bottleneck": {
                     *           "limit": "lines",
                     *           "seconds": 14400
                     *         },
                     *         "with_twice_the_lines": {
                     *           "p50": "2026-03-02T16:10:00.000Z",
                     *           "sooner_by_seconds": 66600
                     *         },
                     *         "assumptions": {
                     *           "rates_from": "organization",
                     *           "calls_looked_at": 4200,
                     *           "outcomes": [
                     *             {
                     *               "outcome": "completed",
                     *               "share": 0.41,
                     *               "seconds": 96.2
                     *             }
                     *           ],
                     *           "lines": 10,
                     *           "calls_per_second": null,
                     *           "quota_per_day": null
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Forecast"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCampaignCalls: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                agent_id?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description As in `meta.outcome` */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description From this instant on */
                from?: string;
                /** @description Before this instant */
                to?: string;
            };
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "provider": "phone_outbound",
                     *             "status": "finish",
                     *             "type": "outbound",
                     *             "phone_number": "+15550100123",
                     *             "conversation_id": "CA0001",
                     *             "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *             "duration": 42,
                     *             "cost": 0.021,
                     *             "notes": null,
                     *             "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *             "events": [
                     *               {
                     *                 "type": "ringing",
                     *                 "at": "2026-03-02T15:04:05.000Z"
                     *               },
                     *               {
                     *                 "type": "answered",
                     *                 "at": "2026-03-02T15:04:08.000Z"
                     *               },
                     *               {
                     *                 "type": "ended",
                     *                 "at": "2026-03-02T15:04:50.000Z",
                     *                 "outcome": "completed"
                     *               }
                     *             ],
                     *             "prompt_params": {
                     *               "name": "Ada",
                     *               "company": "Acme"
                     *             },
                     *             "call_extract": {
                     *               "wants_delivery": true
                     *             },
                     *             "external_last_status": "completed",
                     *             "meta": {
                     *               "outcome": "completed",
                     *               "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *               "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *               "attempt": 1
                     *             },
                     *             "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *             "comments": null,
                     *             "quality": 4,
                     *             "created_by": {
                     *               "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *               "first_name": "Grace",
                     *               "last_name": "Hopper"
                     *             },
                     *             "created_at": "2026-03-02T15:04:04.000Z",
                     *             "tags": [
                     *               {
                     *                 "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *                 "name": "billing"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Call"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportCampaign: {
        parameters: {
            query?: {
                of?: "recipients" | "calls";
                format?: "csv" | "ndjson";
            };
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                    "application/x-ndjson": unknown;
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "campaign": "{\"name\": \"Spring\", \"agent_id\": \"0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d\"}",
                 *       "mapping": "{\"Telefon\": \"phone_number\", \"Vorname\": \"name\"}",
                 *       "country": "DE",
                 *       "dry_run": "true"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read */
                    file: string;
                    /** @description JSON as in POST /campaigns, without `phone_numbers`: those are in the file */
                    campaign: string;
                    /** @description JSON: the name of a column → `phone_number`, `timezone`, the name of a value for the prompt, or null to leave the column out. Other columns keep their own name */
                    mapping?: string;
                    /** @description The country of numbers without one */
                    country?: string;
                    /**
                     * @description `true` checks the file and reports what it would import, without creating a campaign. What the creation would be refused with is in `meta.warnings`, as `would_be_refused`; faulty fields are a 422 that also names the first hundred refused rows
                     * @enum {string}
                     */
                    dry_run?: "true" | "false";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "campaign": null,
                     *         "dry_run": true,
                     *         "rows": 3,
                     *         "taken": 2,
                     *         "refused": [
                     *           {
                     *             "line": 4,
                     *             "column": "Telefon",
                     *             "value": "•••••12",
                     *             "reason": "has a phone number that is too short"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ImportedCampaign"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that was read; without it, the stream starts now */
                "Last-Event-ID"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the client disconnects or five minutes have passed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKnowledgeBases: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *           "name": "Deliveries",
                     *           "description": "What customers ask about deliveries",
                     *           "created_at": "2026-03-01T09:00:00.000Z",
                     *           "updated_at": "2026-03-01T09:00:00.000Z",
                     *           "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"][];
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Deliveries",
                 *       "description": "What customers ask about deliveries"
                 *     }
                 */
                "application/json": components["schemas"]["CreateKnowledgeBase"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "name": "Deliveries",
                     *         "description": "What customers ask about deliveries",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "name": "Deliveries",
                     *         "description": "What customers ask about deliveries",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Deliveries and returns"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateKnowledgeBase"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "name": "Deliveries",
                     *         "description": "What customers ask about deliveries",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "name": "Deliveries",
                     *         "description": "What customers ask about deliveries",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKnowledgeBaseItems: {
        parameters: {
            query?: {
                file_type?: "PDF" | "TXT";
                status?: "pending" | "processing" | "ready" | "failed";
                page?: number;
                size?: number;
            };
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *           "name": "returns.pdf",
                     *           "file_type": "PDF",
                     *           "status": "ready",
                     *           "created_at": "2026-03-01T09:05:00.000Z",
                     *           "updated_at": "2026-03-01T09:05:02.000Z",
                     *           "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *           "notes": null,
                     *           "error": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"][];
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "name": "Spring",
                 *       "notes": "text"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description A PDF or a text file */
                    file: string;
                    /** @description By default the name of the file */
                    name?: string;
                    notes?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *         "name": "returns.pdf",
                     *         "file_type": "PDF",
                     *         "status": "ready",
                     *         "created_at": "2026-03-01T09:05:00.000Z",
                     *         "updated_at": "2026-03-01T09:05:02.000Z",
                     *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "notes": null,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *         "name": "returns.pdf",
                     *         "file_type": "PDF",
                     *         "status": "ready",
                     *         "created_at": "2026-03-01T09:05:00.000Z",
                     *         "updated_at": "2026-03-01T09:05:02.000Z",
                     *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "notes": null,
                     *         "error": null,
                     *         "content": "Goods may be returned within 30 days."
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItemWithContent"];
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "name": "Spring",
                 *       "notes": "text",
                 *       "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description A PDF or a text file that replaces the current one */
                    file?: string;
                    /** @description Null names nothing */
                    name?: string | null;
                    /** @description Null takes them away */
                    notes?: string | null;
                    organization_id?: string | null;
                };
                /**
                 * @example {
                 *       "name": "Spring",
                 *       "notes": "text",
                 *       "organization_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e"
                 *     }
                 */
                "application/json": {
                    /** @description Null names nothing */
                    name?: string | null;
                    /** @description Null takes them away */
                    notes?: string | null;
                    organization_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *         "name": "returns.pdf",
                     *         "file_type": "PDF",
                     *         "status": "ready",
                     *         "created_at": "2026-03-01T09:05:00.000Z",
                     *         "updated_at": "2026-03-01T09:05:02.000Z",
                     *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "notes": null,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kb_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *         "name": "returns.pdf",
                     *         "file_type": "PDF",
                     *         "status": "ready",
                     *         "created_at": "2026-03-01T09:05:00.000Z",
                     *         "updated_at": "2026-03-01T09:05:02.000Z",
                     *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
                     *         "notes": null,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchKnowledgeBase: {
        parameters: {
            query: {
                /** @description A question or words; "in quotes" is a phrase, -word excludes */
                q: string;
                limit?: number;
            };
            header?: never;
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "item_id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
                     *           "item_name": "returns.pdf",
                     *           "page": 2,
                     *           "position": 4,
                     *           "score": 0.83,
                     *           "text": "Goods may be returned within 30 days.",
                     *           "highlight": "Goods may be <mark>returned</mark> within 30 days."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Passage"][];
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "phone_number": "+15551230042",
                     *             "reason": "asked not to be called",
                     *             "source": "api",
                     *             "note": "told the agent on 1 March",
                     *             "created_by": {
                     *               "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *               "first_name": "Ada",
                     *               "last_name": "Lovelace"
                     *             },
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "expires_at": null
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Suppression"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addSuppression: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_number": "+15551230042",
                 *       "reason": "asked not to be called",
                 *       "note": "told the agent on 1 March"
                 *     }
                 */
                "application/json": components["schemas"]["AddSuppression"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "phone_number": "+15551230042",
                     *         "reason": "asked not to be called",
                     *         "source": "api",
                     *         "note": "told the agent on 1 March",
                     *         "created_by": {
                     *           "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *           "first_name": "Ada",
                     *           "last_name": "Lovelace"
                     *         },
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "expires_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Suppression"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description E.164; encode its plus sign as %2B */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "phone_number": "+15551230042",
                     *         "reason": "asked not to be called",
                     *         "source": "api",
                     *         "note": "told the agent on 1 March",
                     *         "created_by": {
                     *           "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *           "first_name": "Ada",
                     *           "last_name": "Lovelace"
                     *         },
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "expires_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Suppression"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importSuppressions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "reason": "asked not to be called"
                 *         },
                 *         {
                 *           "phone_number": "+15551230043"
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/form-data": {
                    /** @description CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read */
                    file: string;
                    /** @description Of a JSON body; a form has a file instead */
                    items?: {
                        phone_number: string;
                        reason?: string | null;
                        note?: string | null;
                        expires_at?: string | null;
                    }[];
                    source?: string | null;
                    /** @description The country of numbers without a leading `+`: ISO 3166, two letters */
                    country?: string | null;
                };
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "reason": "asked not to be called"
                 *         },
                 *         {
                 *           "phone_number": "+15551230043"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportSuppressions"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "added": 2,
                     *         "known": 1,
                     *         "refused": [
                     *           {
                     *             "line": 4,
                     *             "phone_number": "+1•••3",
                     *             "reason": "has a phone number that is too short"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["SuppressionImport"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listConsents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *             "phone_number": "+15551230042",
                     *             "basis": "prior_express_written",
                     *             "scope": [
                     *               "marketing"
                     *             ],
                     *             "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                     *             "source": "https://acme.example/signup",
                     *             "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "given_at": "2026-03-01T09:00:00.000Z",
                     *             "expires_at": null,
                     *             "revoked_at": null,
                     *             "revocation_reason": null,
                     *             "number_changed_at": null,
                     *             "last_used_at": null,
                     *             "uses": 0,
                     *             "created_at": "2026-03-01T09:00:05.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Consent"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_number": "+15551230042",
                 *       "basis": "prior_express_written",
                 *       "scope": [
                 *         "marketing"
                 *       ],
                 *       "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                 *       "source": "https://acme.example/signup",
                 *       "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                 *       "given_at": "2026-03-01T09:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["AddConsent"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *         "phone_number": "+15551230042",
                     *         "basis": "prior_express_written",
                     *         "scope": [
                     *           "marketing"
                     *         ],
                     *         "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                     *         "source": "https://acme.example/signup",
                     *         "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "given_at": "2026-03-01T09:00:00.000Z",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "revocation_reason": null,
                     *         "number_changed_at": null,
                     *         "last_used_at": null,
                     *         "uses": 0,
                     *         "created_at": "2026-03-01T09:00:05.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Consent"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importConsents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "basis": "prior_express_written",
                 *           "scope": [
                 *             "marketing"
                 *           ],
                 *           "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                 *           "source": "https://acme.example/signup",
                 *           "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                 *           "given_at": "2026-03-01T09:00:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/form-data": {
                    /** @description CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read */
                    file: string;
                    /** @description Of a JSON body; a form has a file instead */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of numbers in a file without a leading `+`: ISO 3166, two letters */
                    country?: string | null;
                };
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "basis": "prior_express_written",
                 *           "scope": [
                 *             "marketing"
                 *           ],
                 *           "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                 *           "source": "https://acme.example/signup",
                 *           "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                 *           "given_at": "2026-03-01T09:00:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportConsents"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "added": -9007199254740991,
                     *         "refused": [
                     *           {
                     *             "line": -9007199254740991,
                     *             "field": "text",
                     *             "reason": "text"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ConsentImport"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                consent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "said so in a call"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeConsent"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *         "phone_number": "+15551230042",
                     *         "basis": "prior_express_written",
                     *         "scope": [
                     *           "marketing"
                     *         ],
                     *         "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                     *         "source": "https://acme.example/signup",
                     *         "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "given_at": "2026-03-01T09:00:00.000Z",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "revocation_reason": null,
                     *         "number_changed_at": null,
                     *         "last_used_at": null,
                     *         "uses": 0,
                     *         "created_at": "2026-03-01T09:00:05.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Consent"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    proveConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description E.164; encode its plus sign as %2B */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "phone_number": "+15551230042",
                     *         "as_of": "2026-03-02T09:00:00.000Z",
                     *         "consents": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *             "phone_number": "+15551230042",
                     *             "basis": "prior_express_written",
                     *             "scope": [
                     *               "marketing"
                     *             ],
                     *             "text_shown": "I agree that Acme calls me with an artificial voice about its offers.",
                     *             "source": "https://acme.example/signup",
                     *             "evidence_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "given_at": "2026-03-01T09:00:00.000Z",
                     *             "expires_at": null,
                     *             "revoked_at": null,
                     *             "revocation_reason": null,
                     *             "number_changed_at": null,
                     *             "last_used_at": "2026-03-02T08:20:00.000Z",
                     *             "uses": 1,
                     *             "created_at": "2026-03-01T09:00:05.000Z",
                     *             "calls": [
                     *               {
                     *                 "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *                 "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *                 "dialed_at": "2026-03-02T08:20:00.000Z"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "complete": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ConsentProof"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDisclosures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "texts": [
                     *           {
                     *             "jurisdiction": "US-FL",
                     *             "language": "en",
                     *             "text": "This is {{agent}}, an artificial voice, calling for {{organization}}. Say stop to get no more calls."
                     *           }
                     *         ],
                     *         "recordings": [
                     *           {
                     *             "jurisdiction": "DE",
                     *             "mode": "off"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Disclosures"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listNumberChanges: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description E.164; encode its plus sign as %2B */
                phone_number?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *             "phone_number": "+15551230042",
                     *             "kind": "reassigned",
                     *             "source": "Reassigned Numbers Database",
                     *             "changed_at": "2026-02-14T00:00:00.000Z",
                     *             "created_at": "2026-03-01T09:00:05.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["NumberChange"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importNumberChanges: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "kind": "reassigned",
                 *           "source": "Reassigned Numbers Database",
                 *           "changed_at": "2026-02-14T00:00:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/form-data": {
                    /** @description CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read */
                    file: string;
                    /** @description Of a JSON body: `phone_number`, `kind`, `changed_at` and `source`. A form has a file instead */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of numbers in a file without a leading `+`: ISO 3166, two letters */
                    country?: string | null;
                };
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "phone_number": "+15551230042",
                 *           "kind": "reassigned",
                 *           "source": "Reassigned Numbers Database",
                 *           "changed_at": "2026-02-14T00:00:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportNumberChanges"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "added": -9007199254740991,
                     *         "known": -9007199254740991,
                     *         "refused": [
                     *           {
                     *             "line": -9007199254740991,
                     *             "field": "text",
                     *             "reason": "text"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["NumberChangeImport"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeNumberChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                change_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *         "phone_number": "+15551230042",
                     *         "kind": "reassigned",
                     *         "source": "Reassigned Numbers Database",
                     *         "changed_at": "2026-02-14T00:00:00.000Z",
                     *         "created_at": "2026-03-01T09:00:05.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["NumberChange"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listScrubLists: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description Only lists that this number is on: E.164; encode its plus sign as %2B */
                phone_number?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14",
                     *             "name": "us-national-dnc",
                     *             "source": "National Do Not Call Registry",
                     *             "account": "10034221-54321",
                     *             "scrubbed_at": "2026-03-01T06:00:00.000Z",
                     *             "good_until": "2026-04-01T06:00:00.000Z",
                     *             "created_at": "2026-02-01T09:00:05.000Z",
                     *             "updated_at": "2026-03-01T09:00:05.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["ScrubList"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importScrubList: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of the file)",
                 *       "name": "us-national-dnc",
                 *       "source": "National Do Not Call Registry",
                 *       "account": "10034221-54321",
                 *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
                 *       "numbers": [
                 *         "+15551230042",
                 *         "+15551230043"
                 *       ]
                 *     }
                 */
                "multipart/form-data": {
                    /** @description CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read */
                    file: string;
                    name: string;
                    /** @description The registry or vendor of the list */
                    source: string;
                    /** @description The subscription or organization number under which it was obtained */
                    account?: string | null;
                    /**
                     * Format: date-time
                     * @description When this version was obtained; parts of one version have the same instant
                     * @example 2026-03-01T09:00:00Z
                     */
                    scrubbed_at: string;
                    /** @description False: more parts of this version follow. A complete version replaces the one before it; until then the numbers of both count */
                    complete?: boolean | ("true" | "false");
                    /** @description For a JSON body; a form has a file instead. May be empty */
                    numbers?: string[];
                    /** @description The country of numbers without a leading `+`: ISO 3166, two letters */
                    country?: string | null;
                };
                /**
                 * @example {
                 *       "name": "us-national-dnc",
                 *       "source": "National Do Not Call Registry",
                 *       "account": "10034221-54321",
                 *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
                 *       "numbers": [
                 *         "+15551230042",
                 *         "+15551230043"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportScrubList"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "list": {
                     *           "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14",
                     *           "name": "us-national-dnc",
                     *           "source": "National Do Not Call Registry",
                     *           "account": "10034221-54321",
                     *           "scrubbed_at": "2026-03-01T06:00:00.000Z",
                     *           "good_until": "2026-04-01T06:00:00.000Z",
                     *           "created_at": "2026-02-01T09:00:05.000Z",
                     *           "updated_at": "2026-03-01T09:00:05.000Z"
                     *         },
                     *         "added": -9007199254740991,
                     *         "refused": [
                     *           {
                     *             "line": -9007199254740991,
                     *             "reason": "text"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ScrubListImport"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeScrubList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14",
                     *         "name": "us-national-dnc",
                     *         "source": "National Do Not Call Registry",
                     *         "account": "10034221-54321",
                     *         "scrubbed_at": "2026-03-01T06:00:00.000Z",
                     *         "good_until": "2026-04-01T06:00:00.000Z",
                     *         "created_at": "2026-02-01T09:00:05.000Z",
                     *         "updated_at": "2026-03-01T09:00:05.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ScrubList"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *         "agent_id": "0195d2f0-6b1a-7f3e-8c2d-4e5f6a7b8c9d",
                     *         "campaign_id": null,
                     *         "recipient_id": null,
                     *         "attempt": 1,
                     *         "phone_number": "+442079460958",
                     *         "from_phone": "+15550100123",
                     *         "outcome": "completed",
                     *         "decision": "dialed",
                     *         "refused_by": null,
                     *         "decided_at": "2026-03-02T08:20:00.000Z",
                     *         "conditions": [
                     *           {
                     *             "condition": "calling_hours",
                     *             "verdict": "holds",
                     *             "text": "Every rule that may apply at the location of the person allows a call at this time."
                     *           }
                     *         ],
                     *         "grounds": {
                     *           "calling_policy": "strict",
                     *           "calling_key": "strict:GB",
                     *           "zones": [
                     *             {
                     *               "zone": "Europe/London",
                     *               "local_time": "2026-03-02T08:20:00"
                     *             }
                     *           ],
                     *           "rules": [
                     *             {
                     *               "jurisdiction": "GB",
                     *               "name": "United Kingdom",
                     *               "version": 1,
                     *               "basis": "practice",
                     *               "citation": "DMA Code and Ofcom persistent misuse statement",
                     *               "as_of": "2026-11-22",
                     *               "zones": [
                     *                 "Europe/London"
                     *               ]
                     *             }
                     *           ],
                     *           "window": {
                     *             "opens_at": "2026-03-02T08:00:00.000Z",
                     *             "closes_at": "2026-03-02T17:00:00.000Z"
                     *           },
                     *           "calling_hours": {
                     *             "opens_at": "2026-03-02T08:00:00.000Z",
                     *             "closes_at": "2026-03-02T21:00:00.000Z"
                     *           },
                     *           "campaign": null
                     *         },
                     *         "person": {
                     *           "calls": [
                     *             {
                     *               "calls": 3,
                     *               "hours": 24,
                     *               "made": 1
                     *             }
                     *           ],
                     *           "gap_seconds": 14400,
                     *           "after_conversation_hours": null,
                     *           "last_call_at": "2026-03-01T09:20:00.000Z",
                     *           "conversation_at": null
                     *         },
                     *         "consent": null,
                     *         "scrub_lists": null,
                     *         "suppression": null,
                     *         "refusals": null,
                     *         "as_of": "2026-03-03T08:20:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Receipt"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    explainRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                campaign_id: string;
                recipient_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "campaign_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70",
                     *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *         "phone_number": "+442079460958",
                     *         "state": "waiting",
                     *         "decision": "would_dial",
                     *         "refused_by": null,
                     *         "next_attempt_at": "2026-03-02T08:20:00.000Z",
                     *         "waiting_for": null,
                     *         "next_calling_hours_at": null,
                     *         "person_free_at": null,
                     *         "quota_left": null,
                     *         "last_call_id": null,
                     *         "conditions": [
                     *           {
                     *             "condition": "calling_hours",
                     *             "verdict": "holds",
                     *             "text": "Every rule that may apply at the location of the person allows a call at this time."
                     *           }
                     *         ],
                     *         "grounds": {
                     *           "calling_policy": "strict",
                     *           "calling_key": "strict:GB",
                     *           "zones": [
                     *             {
                     *               "zone": "Europe/London",
                     *               "local_time": "2026-03-02T08:20:00"
                     *             }
                     *           ],
                     *           "rules": [
                     *             {
                     *               "jurisdiction": "GB",
                     *               "name": "United Kingdom",
                     *               "version": 1,
                     *               "basis": "practice",
                     *               "citation": "DMA Code and Ofcom persistent misuse statement",
                     *               "as_of": "2026-11-22",
                     *               "zones": [
                     *                 "Europe/London"
                     *               ]
                     *             }
                     *           ],
                     *           "window": {
                     *             "opens_at": "2026-03-02T08:00:00.000Z",
                     *             "closes_at": "2026-03-02T17:00:00.000Z"
                     *           },
                     *           "calling_hours": {
                     *             "opens_at": "2026-03-02T08:00:00.000Z",
                     *             "closes_at": "2026-03-02T21:00:00.000Z"
                     *           },
                     *           "campaign": null
                     *         },
                     *         "person": {
                     *           "calls": [
                     *             {
                     *               "calls": 3,
                     *               "hours": 24,
                     *               "made": 1
                     *             }
                     *           ],
                     *           "gap_seconds": 14400,
                     *           "after_conversation_hours": null,
                     *           "last_call_at": "2026-03-01T09:20:00.000Z",
                     *           "conversation_at": null
                     *         },
                     *         "consent": null,
                     *         "scrub_lists": null,
                     *         "suppression": null,
                     *         "refusals": null,
                     *         "as_of": "2026-03-02T08:20:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["RecipientExplanation"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCallerIds: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *             "phone_number": "+15551230100",
                     *             "prefixes": [
                     *               "+1555"
                     *             ],
                     *             "attestation": "A",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "calls_per_day": 100,
                     *             "calls_per_hour": 20,
                     *             "warm_up_days": 14,
                     *             "country": "US",
                     *             "state": "active",
                     *             "state_reason": null,
                     *             "resting_until": null,
                     *             "calls_last_hour": 3,
                     *             "calls_last_day": 41,
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "updated_at": "2026-03-01T09:00:00.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["CallerId"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addCallerId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_number": "+15551230100",
                 *       "prefixes": [
                 *         "+1555"
                 *       ],
                 *       "attestation": "A",
                 *       "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                 *       "calls_per_day": 100,
                 *       "calls_per_hour": 20,
                 *       "warm_up_days": 14
                 *     }
                 */
                "application/json": components["schemas"]["AddCallerId"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *         "phone_number": "+15551230100",
                     *         "prefixes": [
                     *           "+1555"
                     *         ],
                     *         "attestation": "A",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "calls_per_day": 100,
                     *         "calls_per_hour": 20,
                     *         "warm_up_days": 14,
                     *         "country": "US",
                     *         "state": "active",
                     *         "state_reason": null,
                     *         "resting_until": null,
                     *         "calls_last_hour": 3,
                     *         "calls_last_day": 41,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CallerId"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCallerId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caller_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "resting",
                 *       "state_reason": "labeled as spam"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCallerId"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *         "phone_number": "+15551230100",
                     *         "prefixes": [
                     *           "+1555"
                     *         ],
                     *         "attestation": "A",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "calls_per_day": 100,
                     *         "calls_per_hour": 20,
                     *         "warm_up_days": 14,
                     *         "country": "US",
                     *         "state": "active",
                     *         "state_reason": null,
                     *         "resting_until": null,
                     *         "calls_last_hour": 3,
                     *         "calls_last_day": 41,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CallerId"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeCallerId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                caller_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15",
                     *         "phone_number": "+15551230100",
                     *         "prefixes": [
                     *           "+1555"
                     *         ],
                     *         "attestation": "A",
                     *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *         "calls_per_day": 100,
                     *         "calls_per_hour": 20,
                     *         "warm_up_days": 14,
                     *         "country": "US",
                     *         "state": "active",
                     *         "state_reason": null,
                     *         "resting_until": null,
                     *         "calls_last_hour": 3,
                     *         "calls_last_day": 41,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CallerId"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description E.164; encode its plus sign as %2B */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "phone_number": "+15550100123",
                     *         "exported_at": "2026-03-02T15:04:05.000Z",
                     *         "suppression": {
                     *           "phone_number": "+15551230042",
                     *           "reason": "asked not to be called",
                     *           "source": "api",
                     *           "note": "told the agent on 1 March",
                     *           "created_by": {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *             "first_name": "Ada",
                     *             "last_name": "Lovelace"
                     *           },
                     *           "created_at": "2026-03-01T09:00:00.000Z",
                     *           "expires_at": null
                     *         },
                     *         "recipients": [
                     *           {
                     *             "id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *             "campaign_name": "text",
                     *             "state": "text",
                     *             "attempts": -9007199254740991,
                     *             "round": -9007199254740991,
                     *             "last_outcome": "text",
                     *             "timezone": "text",
                     *             "prompt_params": {},
                     *             "first_attempt_at": "2026-03-02T15:04:05.000Z",
                     *             "next_attempt_at": "2026-03-02T15:04:05.000Z"
                     *           }
                     *         ],
                     *         "calls": [
                     *           {
                     *             "id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
                     *             "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "provider": "phone_outbound",
                     *             "status": "finish",
                     *             "type": "outbound",
                     *             "phone_number": "+15550100123",
                     *             "conversation_id": "CA0001",
                     *             "transcript": "Agent: Hello Ada, this is Acme.\nAda: Hello.",
                     *             "duration": 42,
                     *             "cost": 0.021,
                     *             "notes": null,
                     *             "recording_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f/recording",
                     *             "events": [
                     *               {
                     *                 "type": "ringing",
                     *                 "at": "2026-03-02T15:04:05.000Z"
                     *               },
                     *               {
                     *                 "type": "answered",
                     *                 "at": "2026-03-02T15:04:08.000Z"
                     *               },
                     *               {
                     *                 "type": "ended",
                     *                 "at": "2026-03-02T15:04:50.000Z",
                     *                 "outcome": "completed"
                     *               }
                     *             ],
                     *             "prompt_params": {
                     *               "name": "Ada",
                     *               "company": "Acme"
                     *             },
                     *             "call_extract": {
                     *               "wants_delivery": true
                     *             },
                     *             "external_last_status": "completed",
                     *             "meta": {
                     *               "outcome": "completed",
                     *               "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
                     *               "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
                     *               "attempt": 1
                     *             },
                     *             "system_prompt": "You are Anna from Acme. Ask Ada whether the delivery has arrived.",
                     *             "comments": null,
                     *             "quality": 4,
                     *             "created_by": {
                     *               "id": "0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6",
                     *               "first_name": "Grace",
                     *               "last_name": "Hopper"
                     *             },
                     *             "created_at": "2026-03-02T15:04:04.000Z",
                     *             "tags": [
                     *               {
                     *                 "id": "0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a",
                     *                 "name": "billing"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "complete": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["PersonExport"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listErasures: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "requested_by": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *             "state": "done",
                     *             "calls": 3,
                     *             "recipients": 1,
                     *             "suppressions": 0,
                     *             "recordings": {
                     *               "deleted": 2,
                     *               "pending": 0,
                     *               "failed": 0
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Erasure"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phone_number": "+15551230042",
                 *       "keep_suppressed": true
                 *     }
                 */
                "application/json": components["schemas"]["ErasePerson"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "requested_by": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "state": "done",
                     *         "calls": 3,
                     *         "recipients": 1,
                     *         "suppressions": 0,
                     *         "recordings": {
                     *           "deleted": 2,
                     *           "pending": 0,
                     *           "failed": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Erasure"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                erasure_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "requested_by": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "state": "done",
                     *         "calls": 3,
                     *         "recipients": 1,
                     *         "suppressions": 0,
                     *         "recordings": {
                     *           "deleted": 2,
                     *           "pending": 0,
                     *           "failed": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Erasure"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *             "email": "ada@example.com",
                     *             "first_name": "Ada",
                     *             "last_name": "Lovelace",
                     *             "role": "manager",
                     *             "disabled": false,
                     *             "disabled_at": null,
                     *             "tokens_not_before": null,
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "updated_at": "2026-03-01T09:00:00.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["User"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "first_name": "Ada",
                 *       "last_name": "Lovelace",
                 *       "role": "manager"
                 *     }
                 */
                "application/json": components["schemas"]["CreateUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "email": "ada@example.com",
                     *         "first_name": "Ada",
                     *         "last_name": "Lovelace",
                     *         "role": "manager",
                     *         "disabled": false,
                     *         "disabled_at": null,
                     *         "tokens_not_before": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["User"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "email": "ada@example.com",
                     *         "first_name": "Ada",
                     *         "last_name": "Lovelace",
                     *         "role": "manager",
                     *         "disabled": false,
                     *         "disabled_at": null,
                     *         "tokens_not_before": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["User"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expires_in_minutes": 60
                 *     }
                 */
                "application/json": components["schemas"]["CreateSignInLink"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "link": "https://outdial.example.com/console/sign-in#link=Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk",
                     *         "expires_at": "2026-03-02T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["SignInLink"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *             "name": "CRM",
                     *             "prefix": "od_Kx3f9a",
                     *             "role": "member",
                     *             "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *             "expires_at": null,
                     *             "revoked_at": null,
                     *             "last_used_at": null,
                     *             "created_at": "2026-03-01T09:00:00.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["ApiKey"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "CRM",
                 *       "role": "member"
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *         "name": "CRM",
                     *         "prefix": "od_Kx3f9a",
                     *         "role": "member",
                     *         "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "last_used_at": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "key": "od_Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CreatedApiKey"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *         "name": "CRM",
                     *         "prefix": "od_Kx3f9a",
                     *         "role": "member",
                     *         "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "last_used_at": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["ApiKey"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateApiKey"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13",
                     *         "name": "CRM",
                     *         "prefix": "od_Kx3f9a",
                     *         "role": "member",
                     *         "user_id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "last_used_at": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "key": "od_Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["CreatedApiKey"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *         "name": "Acme",
                     *         "timezone": "Europe/Berlin",
                     *         "calling_policy": "strict",
                     *         "limits": {
                     *           "max_lines": 50,
                     *           "max_campaigns": null,
                     *           "max_recipients": null,
                     *           "max_calls_per_day": 10000,
                     *           "max_spend_per_day": null,
                     *           "requests_per_minute": null,
                     *           "max_recorded_gigabytes": null,
                     *           "max_inbound_calls": null,
                     *           "max_inbound_per_caller_hour": null,
                     *           "max_inbound_per_number_hour": null
                     *         },
                     *         "allowed_countries": [
                     *           "DE",
                     *           "AT"
                     *         ],
                     *         "person_caps": {
                     *           "calls": [
                     *             {
                     *               "calls": 3,
                     *               "hours": 24
                     *             },
                     *             {
                     *               "calls": 7,
                     *               "hours": 168
                     *             }
                     *           ],
                     *           "gap_seconds": 14400,
                     *           "after_conversation_hours": null
                     *         },
                     *         "retention": {
                     *           "transcripts_days": 90,
                     *           "recordings_days": 30,
                     *           "prompt_values_days": 90,
                     *           "calls_days": null
                     *         },
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Organization"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "timezone": "Europe/Berlin",
                 *       "retention": {
                 *         "transcripts_days": 90,
                 *         "recordings_days": 30,
                 *         "prompt_values_days": 90,
                 *         "calls_days": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateOrganization"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *         "name": "Acme",
                     *         "timezone": "Europe/Berlin",
                     *         "calling_policy": "strict",
                     *         "limits": {
                     *           "max_lines": 50,
                     *           "max_campaigns": null,
                     *           "max_recipients": null,
                     *           "max_calls_per_day": 10000,
                     *           "max_spend_per_day": null,
                     *           "requests_per_minute": null,
                     *           "max_recorded_gigabytes": null,
                     *           "max_inbound_calls": null,
                     *           "max_inbound_per_caller_hour": null,
                     *           "max_inbound_per_number_hour": null
                     *         },
                     *         "allowed_countries": [
                     *           "DE",
                     *           "AT"
                     *         ],
                     *         "person_caps": {
                     *           "calls": [
                     *             {
                     *               "calls": 3,
                     *               "hours": 24
                     *             },
                     *             {
                     *               "calls": 7,
                     *               "hours": 168
                     *             }
                     *           ],
                     *           "gap_seconds": 14400,
                     *           "after_conversation_hours": null
                     *         },
                     *         "retention": {
                     *           "transcripts_days": 90,
                     *           "recordings_days": 30,
                     *           "prompt_values_days": 90,
                     *           "calls_days": null
                     *         },
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Organization"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readUsage: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description From this instant on */
                from?: string;
                /** @description Before this instant */
                to?: string;
                by?: "day" | "campaign" | "agent";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "day": "2026-03-01",
                     *             "calls": 120,
                     *             "minutes": 214.5,
                     *             "cost": 9.6,
                     *             "outcomes": {
                     *               "completed": 80,
                     *               "no_answer": 40
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Usage"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *             "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *             "url": "https://example.com/outdial",
                     *             "events": [
                     *               "call.ended",
                     *               "campaign.finished"
                     *             ],
                     *             "description": "CRM",
                     *             "enabled": true,
                     *             "disabled_reason": null,
                     *             "failing_since": null,
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "updated_at": "2026-03-01T09:00:00.000Z"
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["WebhookEndpoint"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/outdial",
                 *       "events": [
                 *         "call.ended",
                 *         "campaign.finished"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookEndpoint"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "url": "https://example.com/outdial",
                     *         "events": [
                     *           "call.ended",
                     *           "campaign.finished"
                     *         ],
                     *         "description": "CRM",
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookEndpointWithSecret"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state does not allow this */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "url": "https://example.com/outdial",
                     *         "events": [
                     *           "call.ended",
                     *           "campaign.finished"
                     *         ],
                     *         "description": "CRM",
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookEndpoint"] | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhookEndpoint"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "url": "https://example.com/outdial",
                     *         "events": [
                     *           "call.ended",
                     *           "campaign.finished"
                     *         ],
                     *         "description": "CRM",
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookEndpoint"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "url": "https://example.com/outdial",
                     *         "events": [
                     *           "call.ended",
                     *           "campaign.finished"
                     *         ],
                     *         "description": "CRM",
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookEndpoint"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
                     *         "url": "https://example.com/outdial",
                     *         "events": [
                     *           "call.ended",
                     *           "campaign.finished"
                     *         ],
                     *         "description": "CRM",
                     *         "enabled": true,
                     *         "disabled_reason": null,
                     *         "failing_since": null,
                     *         "created_at": "2026-03-01T09:00:00.000Z",
                     *         "updated_at": "2026-03-01T09:00:00.000Z",
                     *         "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookEndpointWithSecret"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f6-5f70-7182-9394-0f1a2b3c4d5e",
                     *         "endpoint_id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "event_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
                     *         "event_type": "call.ended",
                     *         "status": "pending",
                     *         "attempts": 1,
                     *         "next_attempt_at": "2026-03-02T15:09:56.000Z",
                     *         "last_attempt_at": "2026-03-02T15:04:51.000Z",
                     *         "response_status": 500,
                     *         "error": "the endpoint answered 500",
                     *         "duration_ms": 87,
                     *         "created_at": "2026-03-02T15:04:50.000Z",
                     *         "delivered_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookDelivery"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0195d2f6-5f70-7182-9394-0f1a2b3c4d5e",
                     *             "endpoint_id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *             "event_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
                     *             "event_type": "call.ended",
                     *             "status": "pending",
                     *             "attempts": 1,
                     *             "next_attempt_at": "2026-03-02T15:09:56.000Z",
                     *             "last_attempt_at": "2026-03-02T15:04:51.000Z",
                     *             "response_status": 500,
                     *             "error": "the endpoint answered 500",
                     *             "duration_ms": 87,
                     *             "created_at": "2026-03-02T15:04:50.000Z",
                     *             "delivered_at": null
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["WebhookDelivery"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverWebhooksSince: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-03-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["RedeliverSince"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "deliveries": 12,
                     *         "more": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["Redelivered"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a media type that is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of 1 to 255 visible characters. For 24 hours, the same key with the same body returns the same answer, with `Idempotent-Replayed: true`; with another body, 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "id": "0195d2f6-5f70-7182-9394-0f1a2b3c4d5e",
                     *         "endpoint_id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d",
                     *         "event_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
                     *         "event_type": "call.ended",
                     *         "status": "pending",
                     *         "attempts": 1,
                     *         "next_attempt_at": "2026-03-02T15:09:56.000Z",
                     *         "last_attempt_at": "2026-03-02T15:04:51.000Z",
                     *         "response_status": 500,
                     *         "error": "the endpoint answered 500",
                     *         "duration_ms": 87,
                     *         "created_at": "2026-03-02T15:04:50.000Z",
                     *         "delivered_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: components["schemas"]["WebhookDelivery"] | null;
                    };
                };
            };
            /** @description The body is malformed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nothing in the caller’s organization has this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                /** @description The id of the last event that was read; omit it to start with the oldest */
                after?: string;
                /** @description Only events of these types; repeat the parameter, or separate them by commas */
                types?: ("call.started" | "call.answered" | "call.ended" | "call.updated" | "recipient.finished" | "campaign.started" | "campaign.paused" | "campaign.finished" | "campaign.canceled" | "campaign.blocked" | "knowledge_base_item.ready" | "knowledge_base_item.failed" | "suppression.added")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
                     *             "type": "call.ended",
                     *             "created_at": "2026-03-02T15:04:05.000Z",
                     *             "organization_id": "019a4c1e-0000-7000-8000-000000000001",
                     *             "sequence": 3,
                     *             "data": {
                     *               "call_id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f",
                     *               "call_url": "/api/v1/calls/019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f",
                     *               "campaign_id": "019a4c1e-0000-7000-8000-000000000002",
                     *               "recipient_id": "019a4c1e-0000-7000-8000-000000000003",
                     *               "agent_id": "019a4c1e-0000-7000-8000-000000000004",
                     *               "phone_number": "+15551230000",
                     *               "attempt": 1,
                     *               "status": "finish",
                     *               "outcome": "completed",
                     *               "duration": 42
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["Event"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return */
                limit?: number;
                /** @description `next_cursor` of the previous answer; omit it for the first items */
                cursor?: string;
                action?: string;
                user_id?: string;
                target_id?: string;
                /** @description From this instant on */
                from?: string;
                /** @description Before this instant */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Data got correctly",
                     *       "meta": {},
                     *       "data": {
                     *         "items": [
                     *           {
                     *             "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11",
                     *             "created_at": "2026-03-01T09:00:00.000Z",
                     *             "action": "updateUser",
                     *             "actor": {
                     *               "type": "user",
                     *               "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12",
                     *               "first_name": "Ada",
                     *               "last_name": "Lovelace",
                     *               "name": null
                     *             },
                     *             "credential": {
                     *               "type": "api_key",
                     *               "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13"
                     *             },
                     *             "ip": "203.0.113.7",
                     *             "target": {
                     *               "type": "user",
                     *               "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14"
                     *             },
                     *             "changes": {
                     *               "role": {
                     *                 "before": "member",
                     *                 "after": "manager"
                     *               }
                     *             },
                     *             "fields": []
                     *           }
                     *         ],
                     *         "next_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        message: string | null;
                        meta: components["schemas"]["Meta"] | null;
                        data: {
                            items: components["schemas"]["AuditLogEntry"][];
                            /** @description Send it as `cursor` for the next items; null at the end of the list */
                            next_cursor: string | null;
                        } | null;
                    };
                };
            };
            /** @description The answer matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No credential, or one that is not valid */
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The role does not allow this, or `organization_id` is not the caller’s */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A value is not valid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service, or something it needs, is not available at the moment */
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
