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
         * @description Returns immediately with the status `init`. The call is placed as soon as a line is free, ahead of campaign calls. If no line becomes free in time, the call ends as `other` with the `meta.outcome` `canceled`. `meta.warnings` names placeholders of the prompt that have no value in `prompt_params`.
         *
         *     Requires one of the roles member, manager, admin.
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
         * Start a web call
         * @description Starts a conversation in the browser. Returns a WebSocket URL and a token that is valid for one connection within a minute. Pass both to the page, never the API key. The call has a record like any other, with the `provider` `web`, and counts towards your organization's quota and lines. At most ten web calls can be in progress at a time. A call that no browser joins in time ends as `other` with the `meta.outcome` `canceled`. Returns 409 if the agent cannot talk or a limit is reached, and 503 if no voice process can take the call.
         *
         *     Requires one of the roles member, manager, admin.
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
        /** List agents, newest first */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description The agent can make calls once it has a prompt.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Changes only the fields in the body. Calls in progress are not affected.
         *
         *     Requires one of the roles manager, admin.
         */
        put: operations["updateAgent"];
        post?: never;
        /**
         * Delete an agent
         * @description Finished campaigns and past calls keep their records. Returns 409 while an unfinished campaign or a call in progress uses the agent.
         *
         *     Requires one of the roles manager, admin.
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
         * @description The prompt becomes the agent's `latest_prompt`. Past calls keep the version with which they were made.
         *
         *     Requires one of the roles manager, admin.
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
         * List calls, newest first
         * @description `from` and `to` filter by the time of the call.
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
        /** Read a call */
        get: operations["readCall"];
        /**
         * Update a call's notes, comments, quality and tags
         * @description Changes only the fields in the body. Null removes a value. Also works while the call is in progress. `tags` replaces all tags of the call; new tags are created.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Returns the call in its current state; a worker then ends it at the carrier within moments. A call that is still waiting for a line ends immediately. Returns 409 if the call has already ended.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Returns the audio itself, or 404 if the call has no recording yet.
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
        /** List the tags of calls, newest first */
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
         * List campaigns, newest first
         * @description For each running campaign on the page, `meta.campaigns` has `{next_dial_at, waiting_for}` under the campaign's id. With `fields=summary`, `meta.progress` has the progress of each campaign on the page, under its id.
         */
        get: operations["listCampaigns"];
        put?: never;
        /**
         * Create a campaign
         * @description To start the campaign immediately (`status` `running`), you need one of the roles manager, admin. Every number in `additional_params.recipients` must also be in `phone_numbers`.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description While the campaign is running, `meta` has the time of the next dial and the reason for waiting: `{next_dial_at, waiting_for}`. A summary takes the same time for lists of any length, and includes `meta.progress`.
         */
        get: operations["readCampaign"];
        /**
         * Update a paused campaign
         * @description Changes only the fields in the body. Null changes nothing, except that a null `end_date` makes the campaign open-ended. A new list of `phone_numbers` adds and withdraws recipients; numbers that remain keep their history.
         *
         *     Requires one of the roles manager, admin.
         */
        put: operations["updateCampaign"];
        post?: never;
        /**
         * Delete a campaign that is a draft, finished or canceled
         * @description Deletes the campaign and its recipients. The records of its calls remain. In any other status, returns 409: cancel the campaign first.
         *
         *     Requires one of the roles manager, admin.
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
         * @description The status can change from draft to paused, running or canceled; from paused to draft, running, finished or canceled; and from running to paused, finished or canceled. Setting the current status again has no effect. Calls in progress continue unless `hang_up` is true.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Fields that were never set have their default values.
         */
        get: operations["readCampaignConfig"];
        /**
         * Update or create the config of a campaign
         * @description Changes only the fields in the body, even while the campaign is running. In a new config, the other fields have their default values.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Returns the number of recipients in each state and, while the campaign is running but not dialing, the reason for waiting. Takes the same time for lists of any length.
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
         * @description Includes recipients that were withdrawn or never dialed, with the state `withdrawn`.
         */
        get: operations["listRecipients"];
        put?: never;
        /**
         * Add recipients to a campaign
         * @description Adds up to 10,000 recipients, in any status that is not final, even while the campaign is running. Invalid recipients are refused; the others are added. A number that was withdrawn returns to the list; a number that is already on the list is not changed.
         *
         *     Requires one of the roles manager, admin.
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
         * Withdraw a recipient
         * @description The recipient is not called again. A call in progress continues unless `hang_up` is true, but a call that waits in the carrier's queue is withdrawn. Returns 409 if the recipient is already finished.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Gives another round to the `unreached` recipients whose last call had one of the outcomes. A finished campaign becomes `paused`. Returns 409 if the campaign was canceled.
         *
         *     Requires one of the roles manager, admin.
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
         * Forecast a campaign
         * @description Simulates the rest of the campaign with the dialing rules, on a virtual clock, and changes nothing. Returns the calls by day and time zone, the recipients that will be skipped and why, the end, the bottleneck, and the effect of twice as many lines. Answer rates are taken from your organization's most recent calls. Returns 409 if the campaign has ended.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description `from` and `to` filter by the time of the call.
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
         * @description Streams the rows, newest first, with the fields of the corresponding list. Objects are written as JSON. Cells that a spreadsheet would take for a formula begin with an apostrophe, except phone numbers in E.164 format.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description The first line of the file names its columns. A column named phone, phone_number or to_phone contains the phone numbers, or one named to or number if no other could; columns named timezone, region and postal_code say where a person is. Every other column contains prompt values, under its name. `mapping` overrides this. Invalid rows are skipped and listed in `refused`.
         *
         *     Requires one of the roles member, manager, admin.
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
         * Stream the progress of a campaign
         * @description Server-sent events. `progress` has the data of GET …/progress; it is sent when the stream begins and after each change, at most once a second. `call` has an event as in GET /events, sent for each change of a call, with its id; the stream resumes after `Last-Event-ID`. A stream ends after five minutes; an EventSource then reconnects. A credential can have ten streams open.
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
         * @description Newest first. Returns all knowledge bases unless `page` or `size` is given.
         */
        get: operations["listKnowledgeBases"];
        put?: never;
        /**
         * Create a knowledge base
         * @description Requires one of the roles member, manager, admin.
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
         * @description Requires one of the roles member, manager, admin.
         */
        put: operations["updateKnowledgeBase"];
        post?: never;
        /**
         * Delete a knowledge base and its items
         * @description Requires one of the roles member, manager, admin.
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
         * @description Newest first. Returns all items unless `page` or `size` is given.
         */
        get: operations["listKnowledgeBaseItems"];
        put?: never;
        /**
         * Upload an item
         * @description The file type is determined from the content. The text is extracted in the background.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Includes the extracted text, with pages separated by form feeds.
         */
        get: operations["readKnowledgeBaseItem"];
        /**
         * Update an item
         * @description Replaces the file, the name or the notes, whichever are given. The text of a new file is extracted in the background; until then, the item is `pending`.
         *
         *     Requires one of the roles member, manager, admin.
         */
        put: operations["updateKnowledgeBaseItem"];
        post?: never;
        /**
         * Delete an item
         * @description Also deletes the extracted text, unless another item of the knowledge base has the same content. Returns the deleted item.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Returns the best matching passages, best first. Also accepts, as `Authorization: Bearer`, the token that a voice runtime received with a call, for the knowledge bases of that call.
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
        /** List suppressed numbers, newest first */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Add a number to the suppression list
         * @description Once this returns, the number is not dialed any more, and a call to it that is waiting in a carrier's queue is withdrawn. A call in progress continues. Adding a number again replaces its reason, note and `expires_at`. Without `expires_at`, the suppression is permanent. Only a manager or an admin can shorten a suppression.
         *
         *     Requires one of the roles member, manager, admin.
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
         * Remove a number from the suppression list
         * @description Recipients that are already suppressed remain suppressed. New campaigns can dial the number.
         *
         *     Requires one of the roles manager, admin.
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
         * Import numbers into the suppression list
         * @description Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), and optionally reason, note and expires_at; `meta.warnings` names other columns. Numbers may contain spaces, dashes and brackets. Invalid rows are skipped and listed in `refused`; the others are added, all or none. An import never shortens a suppression.
         *
         *     Requires one of the roles manager, admin.
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
         * @description With `phone_number`, lists the consents of one person. Each consent has the text that was shown, its revocation, how many calls were based on it, and when the last one was placed. `meta.consent_id` of a call is the consent on which it was based.
         */
        get: operations["listConsents"];
        put?: never;
        /**
         * Record a consent to be called
         * @description Entries are never changed. A consent ends when it expires (`expires_at`) or is revoked. Campaigns with `require_consent` dial only people with a consent that covers the campaign's `purpose`.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Accepts a form with a file, or JSON with `items`, each like a body of `POST /consents`. The first line of a file names its columns: phone (or phone_number, to, number), basis, source and given_at, and optionally scope, text_shown, evidence_hash and expires_at. `meta.warnings` names other columns. Separate several purposes in scope with semicolons. Invalid rows (such as a malformed number or an expired consent) are skipped and listed in `refused`; the others are added, all or none.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Once this returns, no call based on the consent is placed. The entry remains as proof. To stop all calls to a person, use the suppression list.
         *
         *     Requires one of the roles member, manager, admin.
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
         * @description Returns every consent of one person with the text that was shown, its evidence, its revocation, and the calls that were based on it. `outdial consent proof` prints the same. Returns 404 if there is none.
         *
         *     Requires one of the roles manager, admin.
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
         * Read the disclosures and recording rules
         * @description Returns the texts with which calls begin and the rules for recording them, as the operator set them for your organization with `outdial disclosure`.
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
         * @description Consents given before a change are not valid. `GET /consents` shows the time of the change as `number_changed_at`.
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
         * @description Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), kind (`ported` or `reassigned`), changed_at and source. `meta.warnings` names other columns. Once this returns, no call is based on a consent that was given before the change. Invalid rows are skipped and listed in `refused`; the others are added, all or none.
         *
         *     Requires one of the roles manager, admin.
         */
        post: operations["importNumberChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/number-queries/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record what a registry of reassigned numbers answered
         * @description Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), queried_at, answer (`no`, `yes` or `no_data`), since and source. A number whose answer is `yes` is recorded as reassigned too: once this returns, no call is based on a consent that was given before the query. Invalid rows are skipped and listed in `refused`; the others are added, all or none.
         *
         *     Requires one of the roles manager, admin.
         */
        post: operations["importNumberQueries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/number-queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queries of reassigned numbers, newest first
         * @description Each has its date and its answer.
         */
        get: operations["listNumberQueries"];
        put?: never;
        post?: never;
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
         * Delete a number change that was recorded by mistake
         * @description Consents that were invalid only because of this change are valid again.
         *
         *     Requires one of the roles manager, admin.
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
         * @description With `phone_number`, returns only the lists that contain the number.
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
         * @description Imports the numbers of a do-not-call registry, from a form with a file or from JSON with `numbers`. A list with a new name is created. If a version has more than 10,000 numbers, send it in parts with the same `scrubbed_at`, all but the last with `complete: false`. Once this returns, no campaign that needs the list dials a number on it. The first line of a file names its columns; only phone (or phone_number, to, number) is read, and `meta.warnings` names the others.
         *
         *     Requires one of the roles manager, admin.
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
         * Delete a scrub list
         * @description Campaigns that need the list wait until it is imported again or removed from their config.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Returns each condition of the last check before the dial with its verdict, and the facts behind it: the rules of that time with version and citation, the time zones considered, the window, the caps with their counts, and the consent. The receipt is written together with the call and never changes.
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
    "/api/v1/receipt-seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the seals of receipts, newest first
         * @description A seal is the signed root of a hash tree over the calls and refusals of a day, an hour after its end (UTC). A day with more than 4,096 of them has several seals; calls that ended later are in a later one. Store the answer where nobody can change it: what was sealed before can then be verified without trusting the database.
         */
        get: operations["listReceiptSeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/receipt-proofs/{subject_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a receipt was not changed
         * @description Takes the id of a call, or of a recipient that was refused. Returns the facts of the decision as they are stored now, and the path from their hash to the root of the newest seal that has them. If they were changed since, the path does not lead to the root. `examples/verify-receipt` verifies the answer and needs nothing else. Returns 404 if there is no seal yet, or if the person was erased.
         */
        get: operations["proveReceipt"];
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
         * @description Runs the last check before a dial for one recipient, as if the recipient were due and a line were free, and changes nothing. Also returns earlier refusals: their number by condition, and the last one in full.
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
    "/api/v1/campaigns/{campaign_id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the refused recipients of a campaign
         * @description How many recipients were refused by the last check before a dial, by condition and by the rules of their places. A refused recipient may be dialed later, if the condition holds again.
         */
        get: operations["readCampaignRefusals"];
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
        /** List caller ids, newest first */
        get: operations["listCallerIds"];
        put?: never;
        /**
         * Add a caller id
         * @description The number is `pending` and unused until the operator of the installation has confirmed that it is yours. Once your organization has a confirmed caller id, all of its calls use its caller ids instead of the agents' numbers. Each call uses a caller id from the person's country that has calls left in the hour and the day. If there is none, recipients wait (`waiting_for: caller_id`). Returns 409 `caller_id_exists` if the number was already added, and `caller_id_taken` if it is not available to your organization.
         *
         *     Requires one of the roles manager, admin.
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
        /** Read a caller id */
        get: operations["readCallerId"];
        /**
         * Update a caller id, let it rest, or retire it
         * @description Changes only the fields in the body. Once a rest or a retirement is confirmed, no more calls are placed from the number; calls in progress continue. Returns 409 `caller_id_retired` if the number was retired before, and `caller_id_pending` for the state of a number that the operator has not confirmed.
         *
         *     Requires one of the roles manager, admin.
         */
        put: operations["updateCallerId"];
        post?: never;
        /**
         * Delete a caller id
         * @description After the last confirmed caller id is deleted, calls use the agents' numbers again. To keep the counts of a number, retire it instead.
         *
         *     Requires one of the roles manager, admin.
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
         * Export all data about a person
         * @description Returns all data that your organization has about the person behind a phone number. Each list has its newest 1,000 entries. Returns 404 if there is none.
         *
         *     Requires one of the roles admin.
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
    "/api/v1/people/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say which numbers belong to one person
         * @description Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number) and person_ref, which is your id of the person. If one number of a person is suppressed, by an opt-out too, all of them are, also those that are added later; removing one from the suppression list leaves the others there. A number belongs to one person at a time. Invalid rows are skipped and listed in `refused`; the others are added, all or none.
         *
         *     Requires one of the roles manager, admin.
         */
        post: operations["importPersonNumbers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{phone_number}/defense": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what shows why a person was called, or was not
         * @description Returns one file about a phone number: what the person asked, with channel, words and time; the consents as they were presented; ported and reassigned numbers; the scrub lists that have the number; the campaigns that listed it, with the refusals; and the receipt of every call. Each list has its newest 1,000 entries. Returns 404 if there is nothing.
         *
         *     Requires one of the roles manager, admin.
         */
        get: operations["defendPerson"];
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
         * List erasure receipts, newest first
         * @description Requires one of the roles admin.
         */
        get: operations["listErasures"];
        put?: never;
        /**
         * Erase a person
         * @description Deletes the data of the person behind a phone number: transcripts, recordings, prompt values, notes and the number itself, in calls, campaigns and lists. Counts remain. Recordings stored by carriers are deleted soon afterwards; the receipt shows when this is done. The receipt does not contain the number. Returns 409 while a call to the person is in progress or about to begin.
         *
         *     Requires one of the roles admin.
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
         * Read an erasure receipt
         * @description Requires one of the roles admin.
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
         * List users, newest first
         * @description Requires one of the roles admin.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description The user authenticates with an API key, or with a token that contains the user's id or email address.
         *
         *     Requires one of the roles admin.
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
        /**
         * Read a user
         * @description Requires one of the roles admin.
         */
        get: operations["readUser"];
        /**
         * Update, disable or enable a user
         * @description Changes only the fields in the body. A new role, or disabling the user, takes effect for keys and tokens within a second. Returns 409 if the organization would have no admin left.
         *
         *     Requires one of the roles admin.
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
         * @description Returns a link that signs the user in to the console once. The link is shown only once. Send it to the user yourself; Outdial does not send email. The link stops working if its user or creator is disabled, if its creator is no longer an admin, or if the key that created it is revoked or expires.
         *
         *     Requires one of the roles admin.
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
         * List API keys, newest first
         * @description The keys themselves are not included, because they are not stored.
         *
         *     Requires one of the roles admin.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is shown only in this response.
         *
         *     Requires one of the roles admin.
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
         * Revoke an API key
         * @description The key stops working within a second. It remains in the list with its `revoked_at`. This cannot be undone.
         *
         *     Requires one of the roles admin.
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
         * Rotate an API key
         * @description Creates a key for the same user, with the same role and name, and shows it only once. The old key remains valid for `overlap_seconds`, by default a day. `meta.previous` shows when it expires.
         *
         *     Requires one of the roles admin.
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
         * @description `meta.role` is the role of your credential.
         */
        get: operations["readOrganization"];
        /**
         * Update your organization
         * @description Changes only the fields in the body. If you shorten the retention, older data is deleted within an hour and cannot be restored. A new calling policy applies to every call from now on, including those of waiting recipients.
         *
         *     Requires one of the roles admin.
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
         * Read your usage
         * @description Returns the number, minutes, cost and outcomes of the calls made at or after `from` and before `to`, newest first. By default, covers the last 30 days; at most 366. Deleted and erased calls still count.
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
         * @description Requires one of the roles manager, admin.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description An organization can have at most 20 endpoints. Keep the secret: it is shown only once.
         *
         *     Requires one of the roles manager, admin.
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
         * @description Requires one of the roles manager, admin.
         */
        get: operations["readWebhookEndpoint"];
        /**
         * Update a webhook endpoint
         * @description Changes only the fields in the body. If you enable an endpoint that the service disabled, its undelivered events are sent.
         *
         *     Requires one of the roles manager, admin.
         */
        put: operations["updateWebhookEndpoint"];
        post?: never;
        /**
         * Delete a webhook endpoint and its deliveries
         * @description Nothing more is sent to it from the beginning, and millions of deliveries take a minute. If the request breaks off, send it again.
         *
         *     Requires one of the roles manager, admin.
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
         * Rotate the secret of a webhook endpoint
         * @description For a day, events are signed with the old secret as well. The new secret is shown only once.
         *
         *     Requires one of the roles manager, admin.
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
         * Send a test event to a webhook endpoint
         * @description Sends an event of the type `webhook.test`. Returns the delivery; its result appears in the list of deliveries.
         *
         *     Requires one of the roles manager, admin.
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
         * List the deliveries of a webhook endpoint, newest first
         * @description Requires one of the roles manager, admin.
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
         * Redeliver all events since a given time
         * @description Sends the endpoint every event since then that it has not received, and now those that wait for a retry, at most 10000 per request. `more` shows whether there are others.
         *
         *     Requires one of the roles manager, admin.
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
         * Redeliver an event
         * @description Sends the event again, as a new delivery. A delivery that waits for a retry is retried now instead, after those of its subject that wait in front of it.
         *
         *     Requires one of the roles manager, admin.
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
         * List events, oldest first
         * @description Returns the same events that webhooks send, for 30 days. To continue, set `after` to the id of the last event that you read. No event is skipped or repeated.
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
         * @description Every change through the API and every operator command adds an entry, in the same transaction as the change. Entries are never changed or deleted.
         *
         *     Requires one of the roles admin.
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
export interface webhooks {
    "call.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type call.started */
        post: operations["on_call_started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "call.answered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type call.answered */
        post: operations["on_call_answered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "call.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type call.ended */
        post: operations["on_call_ended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "call.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type call.updated */
        post: operations["on_call_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "recipient.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type recipient.finished */
        post: operations["on_recipient_finished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type campaign.started */
        post: operations["on_campaign_started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type campaign.paused */
        post: operations["on_campaign_paused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type campaign.finished */
        post: operations["on_campaign_finished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type campaign.canceled */
        post: operations["on_campaign_canceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "campaign.blocked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type campaign.blocked */
        post: operations["on_campaign_blocked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "knowledge_base_item.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type knowledge_base_item.ready */
        post: operations["on_knowledge_base_item_ready"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "knowledge_base_item.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type knowledge_base_item.failed */
        post: operations["on_knowledge_base_item_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "suppression.added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type suppression.added */
        post: operations["on_suppression_added"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An event of the type webhook.test */
        post: operations["on_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
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
            /** @description The purposes of campaigns that the consent covers. All by default. */
            scope?: ("marketing" | "service" | "debt_collection")[] | null;
            /** @description The exact text that the person agreed to. */
            text_shown?: string | null;
            /** @description Where the consent was given, such as a page, a form or a call. */
            source: string;
            /** @description A hash of the record that proves the consent, which you keep elsewhere. */
            evidence_hash?: string | null;
            /** Format: date-time */
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
            /** @description The number of recipients that were already on the list. They are unchanged. */
            already_there: number;
            refused: {
                /** @description The recipient's position in the request, counted from 0. */
                index: number;
                /** @description The phone number, masked. */
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
            /** @description The text of the prompt. `{{name}}` is a placeholder for a value from `prompt_params`. */
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
            /** @description The phone number, in E.164 format. */
            phone_number: string;
            prompt_params?: {
                [key: string]: string;
            } | null;
            /** @description The recipient's IANA time zone. By default, the campaign's. */
            timezone?: string | null;
            /** @description Where the person is: a country (`DE`), or a state or province of the United States or Canada (`US-FL`). */
            region?: string | null;
            /** @description A postal code of the United States or Canada. */
            postal_code?: string | null;
        }[] | {
            recipients: {
                /** @description The phone number, in E.164 format. */
                phone_number: string;
                prompt_params?: {
                    [key: string]: string;
                } | null;
                /** @description The recipient's IANA time zone. By default, the campaign's. */
                timezone?: string | null;
                /** @description Where the person is: a country (`DE`), or a state or province of the United States or Canada (`US-FL`). */
                region?: string | null;
                /** @description A postal code of the United States or Canada. */
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
            /** @description How the person asked, such as `email` or `letter`. By default the source. */
            channel?: string | null;
            /** @description What the person said or wrote. By default the reason. */
            words?: string | null;
            /** @description When the request was received. By default now. */
            received_at?: string | null;
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
            /** @description The latest version of the agent's prompt. Null if the agent has no prompt. */
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
            /** @description The agent's calls, newest first. */
            calls: components["schemas"]["Call"][];
        };
        AgentVoice: {
            /**
             * @description `cascade` uses separate models to listen, think and speak. `realtime` uses one model for all three, the endpoint of `llm`. `relay` leaves listening and speaking to the carrier.
             * @enum {string}
             */
            mode: "cascade" | "realtime" | "relay";
            /**
             * @description What the agent says when the call is answered. If null, the agent waits for the person to speak.
             * @default null
             */
            greeting?: string | null;
            /** @default en */
            language?: string;
            llm?: {
                /**
                 * @description The name of an endpoint, as in `VOICE_ENDPOINT_<NAME>_URL`.
                 * @default llm
                 */
                endpoint?: string;
                /**
                 * @description The endpoints to try, in this order, if the first one fails.
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Overrides the endpoint's model. Fallbacks that have their own model keep it. */
                model?: string;
                temperature?: number;
                /**
                 * @description The maximum number of tokens in one response of the model.
                 * @default 400
                 */
                max_tokens?: number;
                /**
                 * @description How long to wait for an endpoint before the next one is tried.
                 * @default 5000
                 */
                timeout_ms?: number;
            };
            stt?: {
                /**
                 * @description The name of an endpoint, as in `VOICE_ENDPOINT_<NAME>_URL`.
                 * @default stt
                 */
                endpoint?: string;
                /**
                 * @description The endpoints to try, in this order, if the first one fails.
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Overrides the endpoint's model. Fallbacks that have their own model keep it. */
                model?: string;
                /** @description Names and terms that the person is likely to say. */
                prompt?: string;
            };
            tts?: {
                /**
                 * @description The name of an endpoint, as in `VOICE_ENDPOINT_<NAME>_URL`.
                 * @default tts
                 */
                endpoint?: string;
                /**
                 * @description The endpoints to try, in this order, if the first one fails.
                 * @default []
                 */
                fallbacks?: string[];
                /** @description Overrides the endpoint's model. Fallbacks that have their own model keep it. */
                model?: string;
                /** @description One of the endpoint's voices. */
                voice?: string;
                speed?: number;
            };
            turn?: {
                /**
                 * @description How long the person must be silent for their turn to end.
                 * @default 400
                 */
                silence_ms?: number;
                /**
                 * @description The same if the person's sentence, number or spelling sounds unfinished.
                 * @default 1500
                 */
                unfinished_silence_ms?: number;
                /**
                 * @description How long the person must speak over the agent for the agent to pause.
                 * @default 200
                 */
                pause_after_ms?: number;
                /**
                 * @description How long the person must speak over the agent for the agent to stop.
                 * @default 600
                 */
                drop_after_ms?: number;
                /**
                 * @description The agent responds after this long even if the person does not pause.
                 * @default 30
                 */
                longest_utterance_seconds?: number;
            };
            keys?: {
                /**
                 * @description How long the agent waits for another key before it answers.
                 * @default 1500
                 */
                timeout_ms?: number;
                /**
                 * @description Keys that end the input at once, and are not part of it. If one is pressed first, it is the input.
                 * @default #
                 */
                finish_on?: string;
                /** @description After this many keys, the agent answers at once. With 1, it answers each key. */
                length?: number;
            };
            idle?: {
                /**
                 * @description How long both sides must be silent before the agent asks whether the person is still there.
                 * @default 8
                 */
                after_seconds?: number;
                /**
                 * @description What the agent says after each silence, in this order. After the last one, the agent hangs up.
                 * @default [
                 *       "Are you still there?"
                 *     ]
                 */
                prompts?: string[];
            };
            /**
             * @description Whether to detect that an answering machine took the call. If false, the agent talks to answering machines as if they were people.
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
                /** @description What the agent says after the beep. `{{name}}` is replaced as in the prompt. */
                message: string;
            };
            extract?: {
                /** @description The JSON Schema of `call_extract`. Without it, no data is extracted. */
                schema?: components["schemas"]["ExtractField"];
                /** @description Instructions for the model that extracts the data. */
                instructions?: string;
                /**
                 * @description Whether to add a summary of the conversation to the call's record.
                 * @default true
                 */
                summary?: boolean;
            };
            /**
             * @description Whether to record the conversation.
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
            /** @description A rating from 1 to 5. */
            quality?: number | null;
            /** @description The names of all tags of the call. A tag is created when it is first used. */
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
            /** @description The first characters of the key. */
            prefix: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
            /**
             * Format: uuid
             * @description The user on whose behalf the key acts.
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
         *       "fields": [
         *         "email",
         *         "role"
         *       ]
         *     }
         */
        AuditLogEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description The `operationId` of the operation in this document, or the command that the operator ran. */
            action: string;
            /** @description Who made the change. */
            actor: {
                /** @enum {string} */
                type: "user" | "operator";
                /** @description The id of the user. Null for an operator. */
                id: string | null;
                first_name: string | null;
                last_name: string | null;
                /** @description The operator's account on the host where the command was run. Null for a user. */
                name: string | null;
            };
            /** @description The credential that was used: `api_key` with the id of the key, or `token` with its `jti`. */
            credential: {
                type: string;
                id: string | null;
            } | null;
            ip: string | null;
            /** @description The resource that was changed. Phone numbers are masked. */
            target: {
                type: string;
                id: string | null;
            } | null;
            /** @description The fields that changed, with their values before and after. Secrets and personal data are left out. */
            changes: {
                [key: string]: {
                    before: unknown;
                    after: unknown;
                };
            };
            /** @description The names of the fields in the request, also of those that `changes` leaves out. */
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
            /** @description Length of the conversation in seconds. */
            duration: number | null;
            cost: number;
            notes: string | null;
            /** @description Path of the recording on this service. */
            recording_url: string | null;
            /** @description The events of the call as `{type, at, …}`, oldest first. */
            events: components["schemas"]["CallEvent"][] | null;
            prompt_params: {
                [key: string]: unknown;
            } | null;
            call_extract: {
                [key: string]: unknown;
            } | null;
            /** @description The last status that the provider reported, in the provider's own terms. */
            external_last_status: string | null;
            meta: components["schemas"]["CallMeta"] | null;
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
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "call.answered",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "call_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *         "phone_number": "+15550100123",
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "attempt": 1,
         *         "status": "start",
         *         "started_at": "2026-03-02T15:04:04.000Z",
         *         "answered_at": "2026-03-02T15:04:08.000Z"
         *       }
         *     }
         */
        CallAnsweredEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "call.answered";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                call_id?: string;
                /** @description The path of the call's record, which has the transcript and the recording. */
                call_url?: string;
                /** Format: uuid */
                agent_id?: string;
                phone_number?: string;
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                attempt?: number;
                /** @enum {string} */
                status?: "init" | "start" | "finish" | "error" | "other";
                /** Format: date-time */
                started_at?: string;
                /** Format: date-time */
                answered_at?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "call.ended",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "call_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *         "phone_number": "+15550100123",
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "attempt": 1,
         *         "status": "finish",
         *         "outcome": "completed",
         *         "started_at": "2026-03-02T15:04:04.000Z",
         *         "answered_at": "2026-03-02T15:04:08.000Z",
         *         "ended_at": "2026-03-02T15:04:50.000Z",
         *         "duration": 42
         *       }
         *     }
         */
        CallEndedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "call.ended";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                call_id?: string;
                /** @description The path of the call's record, which has the transcript and the recording. */
                call_url?: string;
                /** Format: uuid */
                agent_id?: string;
                phone_number?: string;
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                attempt?: number;
                /** @enum {string} */
                status?: "init" | "start" | "finish" | "error" | "other";
                /** Format: date-time */
                started_at?: string;
                /** Format: date-time */
                answered_at?: string;
                /** @enum {string} */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** Format: date-time */
                ended_at?: string;
                /** @description Length of the conversation in seconds. */
                duration?: number;
                /** @description The provider's last status, in its own terms. */
                external_status?: string;
            } & {
                [key: string]: unknown;
            };
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
            /** @description The country of the number, derived from its digits. The number is only used to call people in this country. */
            country: string;
            /** @description Prefixes of the phone numbers to which this number is local. Used if the operator allows local presence. */
            prefixes: string[];
            attestation: ("A" | "B" | "C") | null;
            /** @description The agent that answers when people whom no agent has called before call this number. */
            agent_id: string | null;
            /** @description The maximum number of calls from this number in any 24 hours. */
            calls_per_day: number;
            /** @description The maximum number of calls from this number in any hour. Null means no limit. */
            calls_per_hour: number | null;
            /** @description The number of days over which the daily maximum grows to `calls_per_day`. */
            warm_up_days: number;
            /**
             * @description `pending` until the operator confirms that the number is yours: it is not dialed from and receives no calls until then.
             * @enum {string}
             */
            state: "pending" | "active" | "resting" | "retired";
            /** @description Why the number is in this state: `answer_rate` or `short_calls` if the service let it rest, otherwise the reason that was given with the change. */
            state_reason: string | null;
            /** @description When the rest ends. Null if it lasts until a user ends it. */
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
            /** @description ISO 8601. */
            at: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The `meta` of the request, with what the service adds. */
        CallMeta: {
            /**
             * @description How the call ended. Absent until then.
             * @enum {string}
             */
            outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
            /** @description The id of the campaign, for a call of a campaign. */
            campaign_id?: unknown;
            /** @description The id of the recipient, for a call of a campaign. */
            recipient_id?: unknown;
            /** @description Which attempt to reach the recipient it is, from 1, for a call of a campaign. */
            attempt?: unknown;
            /** @description The consent under which the call was placed. */
            consent_id?: unknown;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "call.started",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "call_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *         "phone_number": "+15550100123",
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "attempt": 1,
         *         "status": "init",
         *         "started_at": "2026-03-02T15:04:04.000Z"
         *       }
         *     }
         */
        CallStartedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "call.started";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                call_id?: string;
                /** @description The path of the call's record, which has the transcript and the recording. */
                call_url?: string;
                /** Format: uuid */
                agent_id?: string;
                phone_number?: string;
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                attempt?: number;
                /** @enum {string} */
                status?: "init" | "start" | "finish" | "error" | "other";
                /** Format: date-time */
                started_at?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "call.updated",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "call_url": "/api/v1/calls/0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *         "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d",
         *         "phone_number": "+15550100123",
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "attempt": 1,
         *         "status": "finish",
         *         "outcome": "completed",
         *         "started_at": "2026-03-02T15:04:04.000Z",
         *         "answered_at": "2026-03-02T15:04:08.000Z",
         *         "ended_at": "2026-03-02T15:04:50.000Z",
         *         "duration": 42,
         *         "changed": [
         *           "transcript"
         *         ]
         *       }
         *     }
         */
        CallUpdatedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "call.updated";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                call_id?: string;
                /** @description The path of the call's record, which has the transcript and the recording. */
                call_url?: string;
                /** Format: uuid */
                agent_id?: string;
                phone_number?: string;
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                attempt?: number;
                /** @enum {string} */
                status?: "init" | "start" | "finish" | "error" | "other";
                /** Format: date-time */
                started_at?: string;
                /** Format: date-time */
                answered_at?: string;
                /** @enum {string} */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** Format: date-time */
                ended_at?: string;
                /** @description Length of the conversation in seconds. */
                duration?: number;
                /** @description The provider's last status, in its own terms. */
                external_status?: string;
                /** @description What changed after the end: `outcome`, `transcript`, `recording` or `call_extract`. */
                changed?: string[];
            } & {
                [key: string]: unknown;
            };
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
            /** @description When dialing ends. Null if the campaign is open-ended. */
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
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "campaign.blocked",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "status": "running",
         *         "reason": "provider",
         *         "blocked_since": "2026-03-02T14:59:50.000Z"
         *       }
         *     }
         */
        CampaignBlockedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.blocked";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** @enum {string} */
                status?: "draft" | "paused" | "running" | "finished" | "canceled";
                reason?: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error") | null;
                /** Format: date-time */
                blocked_since?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "campaign.canceled",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "status": "canceled"
         *       }
         *     }
         */
        CampaignCanceledEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.canceled";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** @enum {string} */
                status?: "draft" | "paused" | "running" | "finished" | "canceled";
            } & {
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
         *       ],
         *       "reassigned_query_days": null
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
            /** @description The names of the scrub lists that the campaign needs. Null for none. */
            scrub_lists: string[] | null;
            /** @description How many days old the newest query of a number may be. Null if none is needed. */
            reassigned_query_days: number | null;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "campaign.finished",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "status": "finished"
         *       }
         *     }
         */
        CampaignFinishedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.finished";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** @enum {string} */
                status?: "draft" | "paused" | "running" | "finished" | "canceled";
            } & {
                [key: string]: unknown;
            };
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
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "campaign.paused",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "status": "paused"
         *       }
         *     }
         */
        CampaignPausedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.paused";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** @enum {string} */
                status?: "draft" | "paused" | "running" | "finished" | "canceled";
            } & {
                [key: string]: unknown;
            };
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
         *         "remedy": "Raise max_concurrent_calls in the campaign's config, or wait for calls to end.",
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
            /** @description The number of recipients in each state. The seven states add up to `total`, which counts every number that was ever on the list. */
            recipients: {
                total: number;
                /** @description Recipients that have not been called yet. */
                waiting: number;
                /** @description Recipients that will be called again. */
                retrying: number;
                in_call: number;
                /** @description Recipients whose last call was completed and who will not be called again. */
                reached: number;
                /** @description Recipients that were not reached and will not be called again. */
                unreached: number;
                /** @description Recipients on the suppression list. */
                suppressed: number;
                /** @description Recipients that were withdrawn, or not dialed before the campaign ended. */
                withdrawn: number;
            };
            /** @description The number of recipients by the outcome of their last call. */
            outcomes: {
                [key: string]: number;
            };
            /** @description The number of calls placed so far, including retries. */
            dials: number;
            lines_in_use: number;
            max_concurrent_calls: number;
            calls_last_minute: number;
            next_dial_at: string | null;
            /** @description Why the campaign is waiting. Null while it is dialing and while it is not running. */
            waiting_for: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error") | null;
            waiting_detail: components["schemas"]["WaitingDetail"] | null;
            /** @description The first dial, also if its provider asked to wait. Null while `dials` is 0. */
            first_dial_at: string | null;
            /** @description The newest of the `dials`. Null while there is none. */
            last_dial_at: string | null;
            /** @description The median end in the latest forecast. A forecast is usually at most 15 minutes old, or an hour for long lists; it can be older while very many campaigns are running. Null until the first forecast, after the settings change, and for lists so varied that only a long forecast can predict their end. */
            estimated_end_at: string | null;
            /** Format: date-time */
            as_of: string;
        };
        /**
         * @example {
         *       "campaign_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70",
         *       "as_of": "2026-03-02T08:20:00.000Z",
         *       "refused": [
         *         {
         *           "condition": "no_consent",
         *           "text": "A consent in force covers the purpose of the call.",
         *           "rules": [
         *             "Germany"
         *           ],
         *           "people": 12
         *         }
         *       ]
         *     }
         */
        CampaignRefusals: {
            /** Format: uuid */
            campaign_id: string;
            /** Format: date-time */
            as_of: string;
            /** @description How many recipients were refused, by the last condition that refused each; most first. */
            refused: {
                /** @description The code of the condition, as in `refused_by`. */
                condition: string;
                /** @description What the condition requires. */
                text: string;
                /** @description The rules of the places of these people, for a condition that depends on them. */
                rules: string[];
                people: number;
            }[];
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "campaign.started",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "status": "running"
         *       }
         *     }
         */
        CampaignStartedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.started";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** @enum {string} */
                status?: "draft" | "paused" | "running" | "finished" | "canceled";
            } & {
                [key: string]: unknown;
            };
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
            /** @description When dialing ends. Null if the campaign is open-ended. */
            end_date: string | null;
            start_time: string;
            end_time: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The IANA time zone of the campaign's dates and hours. Recipients may have their own. */
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
            /** @description The purposes that the consent covers. Null covers all. */
            scope: ("marketing" | "service" | "debt_collection")[] | null;
            text_shown: string | null;
            source: string;
            evidence_hash: string | null;
            /** Format: date-time */
            given_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            revocation_reason: string | null;
            /** @description When the number was ported or reassigned after the consent was given. The consent is not valid from then on. */
            number_changed_at: string | null;
            /** @description When a call was last placed on the basis of this consent. */
            last_used_at: string | null;
            /** @description How many calls were placed on the basis of this consent. */
            uses: number;
            /** Format: date-time */
            created_at: string;
        };
        ConsentImport: {
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            added: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. */
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
            /** @description All consents of the person, newest first, including expired and revoked ones. */
            consents: {
                /** Format: uuid */
                id: string;
                phone_number: string;
                /** @enum {string} */
                basis: "prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry";
                /** @description The purposes that the consent covers. Null covers all. */
                scope: ("marketing" | "service" | "debt_collection")[] | null;
                text_shown: string | null;
                source: string;
                evidence_hash: string | null;
                /** Format: date-time */
                given_at: string;
                expires_at: string | null;
                revoked_at: string | null;
                revocation_reason: string | null;
                /** @description When the number was ported or reassigned after the consent was given. The consent is not valid from then on. */
                number_changed_at: string | null;
                /** @description When a call was last placed on the basis of this consent. */
                last_used_at: string | null;
                /** @description How many calls were placed on the basis of this consent. */
                uses: number;
                /** Format: date-time */
                created_at: string;
                /** @description The calls placed on the basis of this consent, newest first. Each has a receipt. Deleted calls are only counted in `uses`. */
                calls: {
                    /** Format: uuid */
                    call_id: string;
                    campaign_id: string | null;
                    /** Format: date-time */
                    dialed_at: string;
                }[];
            }[];
            /** @description False if there are more than 100 consents or 1,000 calls, and some are left out. */
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
            /** @description The agent's settings. `telephony.provider` and `telephony.from_phone` determine how its calls are placed; `voice` determines how it talks. */
            config?: {
                /** @description How the agent talks if Outdial is its voice runtime. Fields of other runtimes are passed on unchanged. */
                voice?: unknown | components["schemas"]["AgentVoice"];
                /** @description How the agent's calls meet legal requirements. */
                compliance?: {
                    /** @description The organization never again calls a person who presses this key. The agent should announce it. */
                    opt_out_key?: string | null;
                    /** @description Whether the agent's calls begin with a disclosure: who is calling, that the voice is artificial, and how to opt out. Under a calling policy, they always do. */
                    disclose?: boolean;
                    /** @description The language of the disclosure. By default, `voice.language`, or English without one. */
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
            /** @description The first version of the agent's prompt. */
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
            /** @description The role of the key, which cannot exceed the user's. By default, the user's role. */
            role?: ("viewer" | "member" | "manager" | "admin") | null;
            /** @description The user on whose behalf the key acts. By default, yourself. */
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
            /** @description The phone numbers to call, in E.164 format and in the order of dialing. A repeated number is dialed once, at its first position, and named in `meta.warnings`. */
            phone_numbers: string[];
            /** @description `draft` by default. `running` requires the role manager or admin. */
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
            /** @description The first characters of the key. */
            prefix: string;
            /** @enum {string} */
            role: "viewer" | "member" | "manager" | "admin";
            /**
             * Format: uuid
             * @description The user on whose behalf the key acts.
             */
            user_id: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The key itself. Shown only once, because it is not stored. Null in a repeated response. */
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
             * @description How many minutes the link is valid, unless it is used before.
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
        CreateWebhookEndpoint: {
            /** Format: uri */
            url: string;
            /** @description The types of events to send, or `*` for all. */
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
         *           "text": "This is {{agent}}, an artificial voice, calling for {{organization}}. Say stop if you do not want any more calls."
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
            /** @description The texts with which calls begin. If none of them applies, calls begin with the default text of the service. */
            texts: {
                /** @description A country such as `DE`, a state such as `US-CA`, or `*` for everywhere. */
                jurisdiction: string;
                language: string;
                text: string;
            }[];
            /** @description Whether calls to a jurisdiction may be recorded. Elsewhere, the rules of the calling policy apply. */
            recordings: {
                /** @description A country such as `DE`, a state such as `US-CA`, or `*` for everywhere. */
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
             * @description Whether to keep the number on the suppression list, and nowhere else.
             * @default false
             */
            keep_suppressed?: boolean;
            /**
             * @description Whether to forget that the person asked for no calls. By default, a keyed hash of a suppressed number stays, which cannot be read as a number, so that the person is not called again.
             * @default false
             */
            forget_opt_out?: boolean;
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
            /** @description The user who requested the erasure. Null for an operator. */
            requested_by: string | null;
            /**
             * @description `pending` while recordings still have to be deleted by their providers; `failed` if a provider refused.
             * @enum {string}
             */
            state: "done" | "pending" | "failed";
            /** @description The number of calls from which the phone number was removed. */
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
        Event: components["schemas"]["CallStartedEvent"] | components["schemas"]["CallAnsweredEvent"] | components["schemas"]["CallEndedEvent"] | components["schemas"]["CallUpdatedEvent"] | components["schemas"]["RecipientFinishedEvent"] | components["schemas"]["CampaignStartedEvent"] | components["schemas"]["CampaignPausedEvent"] | components["schemas"]["CampaignFinishedEvent"] | components["schemas"]["CampaignCanceledEvent"] | components["schemas"]["CampaignBlockedEvent"] | components["schemas"]["KnowledgeBaseItemReadyEvent"] | components["schemas"]["KnowledgeBaseItemFailedEvent"] | components["schemas"]["SuppressionAddedEvent"] | components["schemas"]["WebhookTestEvent"];
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
         *           "rules": [],
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
            /** @description The number of recipients that are not finished. */
            people: number;
            /** @description How many recipients will not be dialed, by reason and rules. */
            skipped: {
                /** @enum {string} */
                reason: "suppressed" | "no_consent" | "on_scrub_list" | "number_unchecked" | "no_calling_hours" | "campaign_over";
                /** @description With `no_consent`: the rules of the place that ask for the consent. Empty if only the campaign does. */
                rules: string[];
                count: number;
            }[];
            /** @description When the campaign ends: by this time with a probability of 10 %, 50 % and 90 %. Null if it does not end within 400 days, or waits for people whom it cannot call. */
            end: {
                p10: string | null;
                p50: string | null;
                p90: string | null;
            };
            dials: number;
            reached: number;
            /** @description The number of people dialed, by local date and time zone. */
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
                /** @description By how many seconds it delays the campaign. */
                seconds: number;
            } | null;
            with_twice_the_lines: {
                p50: string | null;
                sooner_by_seconds: number | null;
            };
            assumptions: {
                /**
                 * @description The source of the rates: your organization's most recent calls, or defaults if there are fewer than 50.
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
            /** @description The seed of the simulation. The same seed gives the same forecast for the same campaign. 1 by default. */
            seed?: number;
            /** @description The number of lines to assume, instead of the campaign's own. */
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
            /** @description The campaign as JSON, as in `POST /campaigns`, without `phone_numbers`, which come from the file. Required without `preview`. */
            campaign?: string;
            /** @description A JSON object that maps the name of a column to `phone_number`, `timezone`, `region`, `postal_code` or the name of a prompt value (`prompt_params.state` for one that is named like a place), or to null to skip the column. Columns that are not listed keep their names. */
            mapping?: string;
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /**
             * @description If `true`, checks the file and reports what would be imported, without creating a campaign. If the campaign itself would be rejected, `meta.warnings` has the reason as `would_be_refused`. Invalid fields return a 422 that also lists the first hundred rejected rows.
             * @enum {string}
             */
            dry_run?: "true" | "false";
            /**
             * @description If `true`, together with `dry_run`, shows the file in `data.preview`, and does not look at `campaign`. If it is not clear which column has the phone numbers, no row is taken, and `meta.warnings` has the reason as `would_be_refused`.
             * @enum {string}
             */
            preview?: "true" | "false";
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
            /** @description The consents to record, in a JSON body. A form has a file instead. */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
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
            /** @description The new campaign. Null for a dry run. */
            campaign: components["schemas"]["CampaignSummary"] | null;
            dry_run: boolean;
            /** @description The number of rows in the file, not counting the header. */
            rows: number;
            taken: number;
            refused: {
                line: number;
                column: string | null;
                /** @description The invalid value, masked. */
                value: string | null;
                reason: string;
            }[];
            /** @description The file as it was read. Only with `preview`. */
            preview?: {
                columns: {
                    name: string;
                    /** @description The sheet does not show this column. */
                    hidden: boolean;
                    /** @description The number of rows without a value in this column. */
                    empty: number;
                    /** @description The different values, the most frequent first. Null if there are many, or long ones. */
                    values: {
                        value: string;
                        rows: number;
                    }[] | null;
                }[];
                /** @description The first hundred rows. */
                rows: {
                    line: number;
                    /** @description In the order of `columns`. */
                    cells: string[];
                }[];
                /** @description The rows of `refused` that have cells, the first ten thousand at most. */
                refused: {
                    line: number;
                    /** @description In the order of `columns`. */
                    cells: string[];
                }[];
            };
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
            /** @description The changes to import, in a JSON body: each with `phone_number`, `kind`, `changed_at` and `source`. A form has a file instead. */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "phone_number": "+15551230042",
         *           "answer": "no",
         *           "source": "Reassigned Numbers Database",
         *           "queried_at": "2026-03-01T06:00:00Z"
         *         }
         *       ]
         *     }
         */
        ImportNumberQueries: {
            /** @description The queries to record, in a JSON body: each with `phone_number`, `queried_at`, `answer` and `source`. A form has a file instead. */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "phone_number": "+15551230042",
         *           "person_ref": "customer-4711"
         *         },
         *         {
         *           "phone_number": "+15551230043",
         *           "person_ref": "customer-4711"
         *         }
         *       ]
         *     }
         */
        ImportPersonNumbers: {
            /** @description The numbers, in a JSON body: each with `phone_number` and `person_ref`. A form has a file instead. */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
        };
        /**
         * @example {
         *       "name": "us-national-dnc",
         *       "source": "National Do Not Call Registry",
         *       "account": "10034221-54321",
         *       "jurisdiction": "US",
         *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
         *       "complete": true,
         *       "numbers": [
         *         "+15551230042",
         *         "+15551230043"
         *       ]
         *     }
         */
        ImportScrubList: {
            name: string;
            /** @description The registry or vendor that provides the list. */
            source: string;
            /** @description The subscription or organization number under which the list was obtained. */
            account?: string | null;
            /**
             * Format: date-time
             * @description When this version was obtained. Parts of the same version have the same time.
             */
            scrubbed_at: string;
            /** @description The country or state whose registry this is. A version is good for as long as its law allows: Italy 15 days, Singapore 21, the United Kingdom 28, Australia and France 30, others 31. Without it, as before, or 31 days. */
            jurisdiction?: string;
            /** @description Fewer days than the law of the jurisdiction allows. More have no effect. */
            good_for_days?: number | string;
            /** @description Take a complete version that is empty, or has less than half of the numbers of the one before. */
            force?: boolean | ("true" | "false");
            /** @description Whether this is the whole version or its last part; false if more parts of this version follow. A part that is declared complete is refused as a whole if one of its lines cannot be read. A complete version replaces the previous one; until then, the numbers of both versions apply. One that is empty, or has less than half of the numbers of the previous one, is refused unless `force` is true. */
            complete: boolean | ("true" | "false");
            /** @description In a JSON body, the phone numbers; may be empty. A form has a file instead, and here says how its numbers without a leading `+` are written: `international`, with the country code, or `national`. */
            numbers?: string[] | ("international" | "national");
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
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
            /** @description The numbers to suppress, in a JSON body, each with `phone_number` and optionally `reason`, `note` and `expires_at`. A form has a file instead. */
            items?: {
                [key: string]: unknown;
            }[];
            /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
            country?: string | null;
            /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
            numbers?: ("international" | "national") | null;
            /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
            mapping?: string | null;
            source?: string | null;
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
            /** @description Why the item has the status `failed`. */
            error: string | null;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "knowledge_base_item.failed",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
         *         "item_id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
         *         "name": "Opening hours",
         *         "status": "failed",
         *         "error": "The PDF has no text"
         *       }
         *     }
         */
        KnowledgeBaseItemFailedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "knowledge_base_item.failed";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                knowledge_base_id?: string;
                /** Format: uuid */
                item_id?: string;
                name?: string;
                /** @constant */
                status?: "failed";
                error?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "knowledge_base_item.ready",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "knowledge_base_id": "0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b",
         *         "item_id": "0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c",
         *         "name": "Opening hours",
         *         "status": "ready"
         *       }
         *     }
         */
        KnowledgeBaseItemReadyEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "knowledge_base_item.ready";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                knowledge_base_id?: string;
                /** Format: uuid */
                item_id?: string;
                name?: string;
                /** @constant */
                status?: "ready";
            } & {
                [key: string]: unknown;
            };
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
            /** @description Why the item has the status `failed`. */
            error: string | null;
            /** @description The text of the item. Null until the item is `ready`. */
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
         *       },
         *       "reject_missing_values": true
         *     }
         */
        MakeCall: {
            /** @description The phone number to call, in E.164 format. */
            to_phone: string;
            prompt_params?: {
                [key: string]: string;
            } | null;
            meta?: {
                [key: string]: unknown;
            } | null;
            /** @description Under the policy `strict`, the rules of the place ask for consent by purpose. A missing purpose counts as `marketing`. */
            purpose?: ("marketing" | "service" | "debt_collection") | null;
            /** @description If true, a placeholder of the prompt without a value in `prompt_params` is a 422, and nothing is called. Otherwise `meta.warnings` names it. */
            reject_missing_values?: boolean | null;
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
            /** @description If true, a placeholder of the prompt without a value in `prompt_params` is a 422, and nothing is called. Otherwise `meta.warnings` names it. */
            reject_missing_values?: boolean | null;
        } | null;
        /** @example {} */
        Meta: {
            /** @description Values that were accepted but may be mistakes. */
            warnings?: components["schemas"]["Warning"][];
            /** @description When a running campaign dials next. */
            next_dial_at?: string | null;
            /** @description Why a running campaign is not dialing. */
            waiting_for?: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error") | null;
            /** @description The progress of a campaign; for a page of campaigns, that of each, by id. Only with `fields=summary`. */
            progress?: components["schemas"]["CampaignProgress"] | {
                [key: string]: components["schemas"]["CampaignProgress"];
            };
            /** @description When each running campaign of a page dials next, and why it waits, by id. */
            campaigns?: {
                [key: string]: {
                    next_dial_at: string | null;
                    waiting_for: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error") | null;
                };
            };
            /**
             * @description The role of the credential. Only in `GET /api/v1/organization`.
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
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            added: number;
            /** @description The number of changes that were already recorded, or repeat an earlier row. */
            known: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. */
            refused: {
                line: number;
                field: string | null;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "id": "0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c16",
         *       "phone_number": "+15551230042",
         *       "answer": "no",
         *       "source": "Reassigned Numbers Database",
         *       "queried_at": "2026-03-01T06:00:00.000Z",
         *       "since": "2025-06-01T00:00:00.000Z",
         *       "created_at": "2026-03-01T09:00:05.000Z"
         *     }
         */
        NumberQuery: {
            /** Format: uuid */
            id: string;
            phone_number: string;
            /** Format: date-time */
            queried_at: string;
            /**
             * @description Whether the number was given up: `no`, `yes`, or `no_data` if the registry does not know.
             * @enum {string}
             */
            answer: "no" | "yes" | "no_data";
            /** @description Since when the query asked, such as the time of the consent. */
            since: string | null;
            source: string;
            /** Format: date-time */
            created_at: string;
        };
        NumberQueryImport: {
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            added: number;
            /** @description The number of queries that were already recorded, or repeat an earlier row. */
            known: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. */
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
         *         "max_inbound_per_number_hour": null,
         *         "own_twiml": false,
         *         "voice_hosts": [
         *           "voice.example.com"
         *         ]
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
         *       "reassigned_query_days": null,
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
            /** @description The IANA time zone of the days in the usage, and of campaigns without their own time zone. */
            timezone: string;
            /**
             * @description Which calling hours to enforce: `strict` applies the rules of countries and regions, `standard` those of countries only, and `none` only the windows of campaigns.
             * @enum {string}
             */
            calling_policy: "strict" | "standard" | "none";
            /** @description The limits of your organization, set by the operator of the installation. Null means the installation's default, or no limit if it has none. */
            limits: {
                /** @description The maximum number of calls in progress. Null means no limit. */
                max_lines: number | null;
                max_campaigns: number | null;
                /** @description The maximum number of recipients in all campaigns. */
                max_recipients: number | null;
                /** @description The maximum number of calls in a day. Days begin at midnight UTC. */
                max_calls_per_day: number | null;
                max_spend_per_day: number | null;
                requests_per_minute: number | null;
                /** @description The maximum size of the recordings that Outdial itself stores. */
                max_recorded_gigabytes: number | null;
                /** @description The maximum number of inbound calls at a time. */
                max_inbound_calls: number | null;
                /** @description The maximum number of inbound calls from one caller in an hour. */
                max_inbound_per_caller_hour: number | null;
                /** @description The maximum number of inbound calls to one caller id in an hour. */
                max_inbound_per_number_hour: number | null;
                /** @description Whether agents may bring TwiML of their own for answered calls. */
                own_twiml: boolean;
                /** @description The hosts to which `telephony.voice` of an agent may connect answered calls. */
                voice_hosts: string[];
            };
            /** @description The countries that may be called, as two-letter codes. Null means all. Set by the operator. */
            allowed_countries: string[] | null;
            /** @description How often one person may be called, across all campaigns. Set by the operator. */
            person_caps: {
                /** @description The maximum number of calls in any period of so many hours. */
                calls: {
                    calls: number;
                    hours: number;
                }[];
                /** @description The minimum time between calls of different campaigns, and before a direct call. */
                gap_seconds: number | null;
                /** @description The minimum time between a conversation about a debt and the next call about a debt. */
                after_conversation_hours: number | null;
            };
            /** @description Call, in campaigns and directly, only numbers whose newest query of reassigned numbers is at most so many days old and says `no`. Null: only campaigns with their own `reassigned_query_days` need one. */
            reassigned_query_days: number | null;
            /** @description How many days after a call its data is kept, by kind of data. Null keeps it forever. */
            retention: {
                /** @description How long to keep transcripts and the data extracted from them. */
                transcripts_days: number | null;
                /** @description How long to keep recordings, including those stored by carriers. */
                recordings_days: number | null;
                /** @description How long to keep the prompt values of calls, and of campaigns that have ended. */
                prompt_values_days: number | null;
                /** @description How long to keep whole calls. Their cost remains in the usage. */
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
            /** @description The page on which the passage begins, counted from 1. */
            page: number;
            /** @description The position of the passage within its item, counted from 0. */
            position: number;
            /** @description How well the passage matches. Higher is better. Scores are only comparable within one response. */
            score: number;
            text: string;
            /** @description The text as HTML, with matches in `<mark>`. */
            highlight: string;
        };
        PersonDefense: {
            phone_number: string;
            /** Format: date-time */
            exported_at: string;
            /** @description Your name of the person, if you gave one. */
            person_ref: string | null;
            /** @description The other numbers of the person. */
            other_numbers: string[];
            /** @description The current entry of the suppression list. */
            suppression: components["schemas"]["Suppression"] | null;
            /** @description The scrub lists that have the number now. */
            scrub_lists: components["schemas"]["ScrubList"][];
            /** @description What the person asked, also if the number has left the suppression list since. */
            revocations: {
                /** @description How the request came: `call`, `call_key`, `call_speech`, `call_message`, `consent` for a consent that was revoked, or what the request to the interface said. */
                channel: string;
                words: string | null;
                /** Format: date-time */
                received_at: string;
                call_id: string | null;
                consent_id: string | null;
                /** Format: date-time */
                created_at: string;
            }[];
            /** @description The consents as they were presented. */
            consents: components["schemas"]["Consent"][];
            number_queries: components["schemas"]["NumberQuery"][];
            number_changes: components["schemas"]["NumberChange"][];
            /** @description False if a list has more than its newest 1,000 entries. */
            complete: boolean;
            /** @description The campaigns that listed the number, and how often calls were refused. */
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
                first_attempt_at: string | null;
                next_attempt_at: string | null;
                refusals: {
                    total: number;
                    /** @description The number of refusals by condition. Also counts attempts that passed the check and were then undone: `provider_deferred`, `not_sent` and `withdrawn_at_provider`. */
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
                            /** @description The jurisdictions and time zones in which the person may be. */
                            calling_key: string;
                            zones: {
                                zone: string;
                                /** @description The local time as yyyy-MM-ddTHH:mm:ss. */
                                local_time: string;
                            }[];
                            /** @description The rules as they were at the time of the decision. */
                            rules: {
                                jurisdiction: string;
                                name: string;
                                version: number;
                                /** @description The operator's overlay that contains the rule. Absent for built-in rules. */
                                overlay?: string;
                                /** @enum {string} */
                                basis: "statute" | "regulation" | "code" | "practice";
                                citation: string;
                                /** @description When the rule was last checked against its source. */
                                as_of: string;
                                /** @description The time zones in which the rule was applied. */
                                zones: string[];
                            }[];
                            /** @description The campaign's window, if it was open. */
                            window: {
                                /** Format: date-time */
                                opens_at: string;
                                /** Format: date-time */
                                closes_at: string;
                            } | null;
                            /** @description The hours in which the rules allowed calls, if they did. */
                            calling_hours: {
                                /** Format: date-time */
                                opens_at: string;
                                /** Format: date-time */
                                closes_at: string;
                            } | null;
                            /** @description The consent that the rules ask for under the policy `strict`. Absent if they ask for none. */
                            consent?: {
                                /** @enum {string} */
                                purpose: "marketing" | "service" | "debt_collection";
                                /** @description The kinds of consent that the rules accept. */
                                bases: string[];
                                rules: {
                                    jurisdiction: string;
                                    name: string;
                                    citation: string;
                                }[];
                            };
                            /** @description The campaign's settings at that revision. Null for a direct call. */
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
                                /** @description The scrub lists that the campaign needs. Absent if it needs none. */
                                scrub_lists?: string[];
                                reassigned_query_days?: number;
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
            }[];
            /** @description The receipts of the calls, newest first. */
            calls: components["schemas"]["Receipt"][];
        };
        PersonExport: {
            phone_number: string;
            /** Format: date-time */
            exported_at: string;
            /** @description Your name of the person, if you gave one. */
            person_ref: string | null;
            /** @description The other numbers of the person. */
            other_numbers: string[];
            /** @description The current entry of the suppression list. */
            suppression: components["schemas"]["Suppression"] | null;
            /** @description The scrub lists that have the number now. */
            scrub_lists: components["schemas"]["ScrubList"][];
            /** @description What the person asked, also if the number has left the suppression list since. */
            revocations: {
                /** @description How the request came: `call`, `call_key`, `call_speech`, `call_message`, `consent` for a consent that was revoked, or what the request to the interface said. */
                channel: string;
                words: string | null;
                /** Format: date-time */
                received_at: string;
                call_id: string | null;
                consent_id: string | null;
                /** Format: date-time */
                created_at: string;
            }[];
            /** @description The consents as they were presented. */
            consents: components["schemas"]["Consent"][];
            number_queries: components["schemas"]["NumberQuery"][];
            number_changes: components["schemas"]["NumberChange"][];
            /** @description False if a list has more than its newest 1,000 entries. */
            complete: boolean;
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
            /** @description The person's calls, newest first. Read more with `GET /calls?phone_number=`. */
            calls: components["schemas"]["Call"][];
        };
        PersonNumberImport: {
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            /** @description The number of phone numbers that belonged to nobody before. */
            added: number;
            /** @description The number of rows whose phone number was known, or repeats an earlier row. */
            known: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. */
            refused: {
                line: number;
                field: string | null;
                reason: string;
            }[];
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
         *           "text": "Every rule that may apply where the person is allows a call at this time."
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
         *       "release": {
         *         "id": "5d0c2f0e-6f0e-8c3a-9d52-1f6f0a3b2c14",
         *         "time_zones": "2026c",
         *         "area_codes": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "attestation": "A",
         *       "prompt": {
         *         "created_at": "2026-02-20T09:00:00.000Z",
         *         "sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
         *       },
         *       "disclosure": {
         *         "text": "Hello, this is Anna calling for Acme, with an artificial voice. Tell me at any time if you want no more calls.",
         *         "language": "en",
         *         "heard_at": "2026-03-02T08:20:21.000Z"
         *       },
         *       "recording": "announced",
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
            /** @description The phone number. Null if the person has been erased. */
            phone_number: string | null;
            /** @description The caller id. Null if the provider chooses it. */
            from_phone: string | null;
            outcome: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown") | null;
            /**
             * @description `waiting` if a direct call has not been checked yet.
             * @enum {string}
             */
            decision: "dialed" | "waiting" | "not_dialed";
            /** @description Why the call was not dialed: `no_line_in_time`, `suppressed`, `on_scrub_list`, `number_refused` or `hung_up`. Null if it was dialed or is waiting. */
            refused_by: string | null;
            /** @description When the call was allowed. */
            decided_at: string | null;
            conditions: {
                /** @description The code of the condition, as in `refused_by`. */
                condition: string;
                /**
                 * @description Whether the condition holds. `not_applicable` if there is nothing to check, for example if there are no caps.
                 * @enum {string}
                 */
                verdict: "holds" | "fails" | "not_applicable";
                /** @description What the condition requires. */
                text: string;
            }[];
            /** @description The rules and times on which the decision is based. Null for calls from before they were recorded. */
            grounds: {
                /** @enum {string} */
                calling_policy: "strict" | "standard" | "none";
                /** @description The jurisdictions and time zones in which the person may be. */
                calling_key: string;
                zones: {
                    zone: string;
                    /** @description The local time as yyyy-MM-ddTHH:mm:ss. */
                    local_time: string;
                }[];
                /** @description The rules as they were at the time of the decision. */
                rules: {
                    jurisdiction: string;
                    name: string;
                    version: number;
                    /** @description The operator's overlay that contains the rule. Absent for built-in rules. */
                    overlay?: string;
                    /** @enum {string} */
                    basis: "statute" | "regulation" | "code" | "practice";
                    citation: string;
                    /** @description When the rule was last checked against its source. */
                    as_of: string;
                    /** @description The time zones in which the rule was applied. */
                    zones: string[];
                }[];
                /** @description The campaign's window, if it was open. */
                window: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The hours in which the rules allowed calls, if they did. */
                calling_hours: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The consent that the rules ask for under the policy `strict`. Absent if they ask for none. */
                consent?: {
                    /** @enum {string} */
                    purpose: "marketing" | "service" | "debt_collection";
                    /** @description The kinds of consent that the rules accept. */
                    bases: string[];
                    rules: {
                        jurisdiction: string;
                        name: string;
                        citation: string;
                    }[];
                };
                /** @description The campaign's settings at that revision. Null for a direct call. */
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
                    /** @description The scrub lists that the campaign needs. Absent if it needs none. */
                    scrub_lists?: string[];
                    reassigned_query_days?: number;
                } | null;
            } | null;
            /** @description The caps on calls to one person, with the counts at that time. Null if there are no caps. */
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
            /** @description The consent on which the call is based. */
            consent: components["schemas"]["Consent"] | null;
            /** @description The scrub lists that the campaign needs, each with the time of the version that was checked. */
            scrub_lists: {
                name: string;
                scrubbed_at: string | null;
                source?: string;
                /** @description The subscription under which the version was obtained. */
                account?: string | null;
                jurisdiction?: string | null;
                numbers?: number;
                /** @description SHA-256 of the hash of the parts before, if any, and of the numbers of the last part: each once, sorted, with a line break between two. */
                content_hash?: string;
            }[] | null;
            /** @description The number's current entry on the suppression list. */
            suppression: {
                reason: string | null;
                source: string | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
            } | null;
            /** @description How often the recipient was refused by the check before a dial. Null if never. */
            refusals: {
                total: number;
                /** @description The number of refusals by condition. Also counts attempts that passed the check and were then undone: `provider_deferred`, `not_sent` and `withdrawn_at_provider`. */
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
                        /** @description The jurisdictions and time zones in which the person may be. */
                        calling_key: string;
                        zones: {
                            zone: string;
                            /** @description The local time as yyyy-MM-ddTHH:mm:ss. */
                            local_time: string;
                        }[];
                        /** @description The rules as they were at the time of the decision. */
                        rules: {
                            jurisdiction: string;
                            name: string;
                            version: number;
                            /** @description The operator's overlay that contains the rule. Absent for built-in rules. */
                            overlay?: string;
                            /** @enum {string} */
                            basis: "statute" | "regulation" | "code" | "practice";
                            citation: string;
                            /** @description When the rule was last checked against its source. */
                            as_of: string;
                            /** @description The time zones in which the rule was applied. */
                            zones: string[];
                        }[];
                        /** @description The campaign's window, if it was open. */
                        window: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The hours in which the rules allowed calls, if they did. */
                        calling_hours: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The consent that the rules ask for under the policy `strict`. Absent if they ask for none. */
                        consent?: {
                            /** @enum {string} */
                            purpose: "marketing" | "service" | "debt_collection";
                            /** @description The kinds of consent that the rules accept. */
                            bases: string[];
                            rules: {
                                jurisdiction: string;
                                name: string;
                                citation: string;
                            }[];
                        };
                        /** @description The campaign's settings at that revision. Null for a direct call. */
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
                            /** @description The scrub lists that the campaign needs. Absent if it needs none. */
                            scrub_lists?: string[];
                            reassigned_query_days?: number;
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
            /** @description The set of conditions and the data with which the call was allowed; `conditions` are those of this release. Null if the call was not allowed. */
            release: {
                /** Format: uuid */
                id: string;
                /** @description The version of the time zone database. */
                time_zones: string;
                /** @description SHA-256 of the tables that say where a number is. */
                area_codes: string;
            } | null;
            /** @description The attestation of the caller id when the call was allowed. */
            attestation: ("A" | "B" | "C") | null;
            /** @description The version of the agent's prompt. */
            prompt: {
                /** Format: date-time */
                created_at: string;
                /** @description The hash of the text, before its values. */
                sha256: string;
            };
            /** @description The disclosure at the beginning of the call. Null if there was none. */
            disclosure: {
                text: string;
                language: string;
                /** @description When it was reported to have been heard. Null if there is no such report. */
                heard_at: string | null;
            } | null;
            /** @description The rule about recordings that applied to the call. Null if none did. */
            recording: ("off" | "announced" | "on") | null;
            /** Format: date-time */
            as_of: string;
        };
        /**
         * @example {
         *       "subject_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f",
         *       "leaf": "{\"v\": 1, \"kind\": \"call\", \"call_id\": \"0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f\", \"decision\": \"dialed\"}",
         *       "index": 0,
         *       "path": [
         *         "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       ],
         *       "statement": "{\"v\":1,\"organization_id\":\"0195d2f0-0000-7000-8000-000000000001\",\"number\":12,\"day\":\"2026-03-02\",\"leaves\":2,\"root\":\"5c8f…\",\"previous_sha256\":\"a1b2…\",\"sealed_at\":\"2026-03-03T01:00:04.000Z\",\"public_key\":\"MCowBQYDK2VwAyEA…\"}",
         *       "signature": "u1YPn…==",
         *       "phone_number": "+442079460958",
         *       "salt": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
         *       "grounds": "{\"rules\": []}",
         *       "release": "{\"conditions\": []}",
         *       "consent": null
         *     }
         */
        ReceiptProof: {
            /**
             * Format: uuid
             * @description The call, or the recipient whose refusals were sealed.
             */
            subject_id: string;
            /** @description JSON with the facts of the decision as they are stored now. Hash it as the text that it is. */
            leaf: string;
            /** @description The position of the leaf, from 0. */
            index: number;
            /** @description The hashes from the leaf to the root (RFC 9162, section 2.1.3), in hexadecimal. */
            path: string[];
            /** @description JSON with the signed facts: `number`, `day`, the number of `leaves`, their `root`, the SHA-256 of the statement before (`previous_sha256`), `sealed_at` and the `public_key`. Sign and compare it as the text that it is. */
            statement: string;
            /** @description The Ed25519 signature of the statement, in base64. */
            signature: string;
            phone_number: string | null;
            /** @description `phone_number_sha256` of the leaf is the SHA-256 of this text and the phone number. */
            salt: string | null;
            /** @description The text whose SHA-256 is `grounds_sha256` of the leaf. */
            grounds: string | null;
            /** @description The text whose SHA-256 is `release_sha256` of the leaf. */
            release: string | null;
            /** @description The text whose SHA-256 is `consent_sha256` of the leaf. */
            consent: string | null;
        };
        /**
         * @example {
         *       "number": 12,
         *       "day": "2026-03-02",
         *       "statement": "{\"v\":1,\"organization_id\":\"0195d2f0-0000-7000-8000-000000000001\",\"number\":12,\"day\":\"2026-03-02\",\"leaves\":2,\"root\":\"5c8f…\",\"previous_sha256\":\"a1b2…\",\"sealed_at\":\"2026-03-03T01:00:04.000Z\",\"public_key\":\"MCowBQYDK2VwAyEA…\"}",
         *       "signature": "u1YPn…==",
         *       "created_at": "2026-03-03T01:00:04.000Z"
         *     }
         */
        ReceiptSeal: {
            /** @description From 1, without gaps. */
            number: number;
            /** @description The day whose calls and refusals it has, in UTC. */
            day: string;
            /** @description JSON with the signed facts: `number`, `day`, the number of `leaves`, their `root`, the SHA-256 of the statement before (`previous_sha256`), `sealed_at` and the `public_key`. Sign and compare it as the text that it is. */
            statement: string;
            /** @description The Ed25519 signature of the statement, in base64. */
            signature: string;
            /** Format: date-time */
            created_at: string;
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
            /** @description The earliest time of the next call, within the window. Null if there is none. */
            next_attempt_at: string | null;
            /** @description What the recipient is waiting for. Null unless its state is `waiting` or `retrying`. */
            waiting_for: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error" | "campaign_not_running") | null;
            timezone: string;
            /** @description The recipient's own prompt values, which apply in addition to the campaign's. */
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
         *           "text": "Every rule that may apply where the person is allows a call at this time."
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
             * @description What the check before a dial would decide at `as_of` if the recipient were due and a line were free.
             * @enum {string}
             */
            decision: "would_dial" | "would_refuse";
            /** @description The first condition that fails. */
            refused_by: string | null;
            next_attempt_at: string | null;
            waiting_for: ("rules" | "window" | "calling_hours" | "retry" | "person_cap" | "caller_id" | "number_query" | "scrub_list" | "campaign_line" | "abandonment" | "organization_line" | "provider_line" | "calls_per_second" | "provider" | "calls_in_progress" | "no_worker" | "no_adapter" | "media_runtime" | "voice_not_allowed" | "quota" | "error" | "campaign_not_running") | null;
            /** @description When the calling hours open next. Null if they are open now, or never open. */
            next_calling_hours_at: string | null;
            /** @description When the caps allow the next call to the person. */
            person_free_at: string | null;
            /** @description The number of calls left in the daily quota. Null if there is no quota. */
            quota_left: number | null;
            /** @description The id of the last call, which has its own receipt. */
            last_call_id: string | null;
            conditions: {
                /** @description The code of the condition, as in `refused_by`. */
                condition: string;
                /**
                 * @description Whether the condition holds. `not_applicable` if there is nothing to check, for example if there are no caps.
                 * @enum {string}
                 */
                verdict: "holds" | "fails" | "not_applicable";
                /** @description What the condition requires. */
                text: string;
            }[];
            /** @description The rules and times on which the decision is based. Null for calls from before they were recorded. */
            grounds: {
                /** @enum {string} */
                calling_policy: "strict" | "standard" | "none";
                /** @description The jurisdictions and time zones in which the person may be. */
                calling_key: string;
                zones: {
                    zone: string;
                    /** @description The local time as yyyy-MM-ddTHH:mm:ss. */
                    local_time: string;
                }[];
                /** @description The rules as they were at the time of the decision. */
                rules: {
                    jurisdiction: string;
                    name: string;
                    version: number;
                    /** @description The operator's overlay that contains the rule. Absent for built-in rules. */
                    overlay?: string;
                    /** @enum {string} */
                    basis: "statute" | "regulation" | "code" | "practice";
                    citation: string;
                    /** @description When the rule was last checked against its source. */
                    as_of: string;
                    /** @description The time zones in which the rule was applied. */
                    zones: string[];
                }[];
                /** @description The campaign's window, if it was open. */
                window: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The hours in which the rules allowed calls, if they did. */
                calling_hours: {
                    /** Format: date-time */
                    opens_at: string;
                    /** Format: date-time */
                    closes_at: string;
                } | null;
                /** @description The consent that the rules ask for under the policy `strict`. Absent if they ask for none. */
                consent?: {
                    /** @enum {string} */
                    purpose: "marketing" | "service" | "debt_collection";
                    /** @description The kinds of consent that the rules accept. */
                    bases: string[];
                    rules: {
                        jurisdiction: string;
                        name: string;
                        citation: string;
                    }[];
                };
                /** @description The campaign's settings at that revision. Null for a direct call. */
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
                    /** @description The scrub lists that the campaign needs. Absent if it needs none. */
                    scrub_lists?: string[];
                    reassigned_query_days?: number;
                } | null;
            } | null;
            /** @description The caps on calls to one person, with the counts at that time. Null if there are no caps. */
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
            /** @description The consent on which the call is based. */
            consent: components["schemas"]["Consent"] | null;
            /** @description The scrub lists that the campaign needs, each with the time of the version that was checked. */
            scrub_lists: {
                name: string;
                scrubbed_at: string | null;
                source?: string;
                /** @description The subscription under which the version was obtained. */
                account?: string | null;
                jurisdiction?: string | null;
                numbers?: number;
                /** @description SHA-256 of the hash of the parts before, if any, and of the numbers of the last part: each once, sorted, with a line break between two. */
                content_hash?: string;
            }[] | null;
            /** @description The number's current entry on the suppression list. */
            suppression: {
                reason: string | null;
                source: string | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
            } | null;
            /** @description How often the recipient was refused by the check before a dial. Null if never. */
            refusals: {
                total: number;
                /** @description The number of refusals by condition. Also counts attempts that passed the check and were then undone: `provider_deferred`, `not_sent` and `withdrawn_at_provider`. */
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
                        /** @description The jurisdictions and time zones in which the person may be. */
                        calling_key: string;
                        zones: {
                            zone: string;
                            /** @description The local time as yyyy-MM-ddTHH:mm:ss. */
                            local_time: string;
                        }[];
                        /** @description The rules as they were at the time of the decision. */
                        rules: {
                            jurisdiction: string;
                            name: string;
                            version: number;
                            /** @description The operator's overlay that contains the rule. Absent for built-in rules. */
                            overlay?: string;
                            /** @enum {string} */
                            basis: "statute" | "regulation" | "code" | "practice";
                            citation: string;
                            /** @description When the rule was last checked against its source. */
                            as_of: string;
                            /** @description The time zones in which the rule was applied. */
                            zones: string[];
                        }[];
                        /** @description The campaign's window, if it was open. */
                        window: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The hours in which the rules allowed calls, if they did. */
                        calling_hours: {
                            /** Format: date-time */
                            opens_at: string;
                            /** Format: date-time */
                            closes_at: string;
                        } | null;
                        /** @description The consent that the rules ask for under the policy `strict`. Absent if they ask for none. */
                        consent?: {
                            /** @enum {string} */
                            purpose: "marketing" | "service" | "debt_collection";
                            /** @description The kinds of consent that the rules accept. */
                            bases: string[];
                            rules: {
                                jurisdiction: string;
                                name: string;
                                citation: string;
                            }[];
                        };
                        /** @description The campaign's settings at that revision. Null for a direct call. */
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
                            /** @description The scrub lists that the campaign needs. Absent if it needs none. */
                            scrub_lists?: string[];
                            reassigned_query_days?: number;
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
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "recipient.finished",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "campaign_id": "0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e",
         *         "recipient_id": "0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f",
         *         "phone_number": "+15550100123",
         *         "reason": "reached",
         *         "outcome": "completed",
         *         "attempts": 1,
         *         "round": 1
         *       }
         *     }
         */
        RecipientFinishedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "recipient.finished";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                campaign_id?: string;
                /** Format: uuid */
                recipient_id?: string;
                phone_number?: string;
                /** @description Why there is no further attempt, such as `reached` or `attempts_used`. */
                reason?: string;
                /** @description The outcome of the last call. Null if there was no call. */
                outcome?: ("completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown") | null;
                attempts?: number;
                round?: number;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "deliveries": 12,
         *       "more": false
         *     }
         */
        Redelivered: {
            deliveries: number;
            /** @description Whether there are more events to send. If so, repeat the request. */
            more: boolean;
        };
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
            /** @description The number of recipients that get another round. */
            retried: number;
            /** @description The status of the campaign. A finished campaign becomes `paused`. */
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
            /** @description Retries the recipients that were not reached and whose last call had one of these outcomes. */
            outcomes: ("no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown")[];
        };
        /**
         * @example {
         *       "reason": "asked for it on a call"
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
             * @description How many seconds the old key remains valid.
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
         *       "jurisdiction": "US",
         *       "scrubbed_at": "2026-03-01T06:00:00.000Z",
         *       "good_for_days": 31,
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
            /** @description The account under which the list was obtained. */
            account: string | null;
            /** @description When the newest complete version was obtained. Null until there is one. */
            scrubbed_at: string | null;
            /** @description The country or state whose registry this is. Its law decides how old a version may be. */
            jurisdiction: string | null;
            /** @description How many days a version is good for. */
            good_for_days: number;
            /** @description `good_for_days` after `scrubbed_at`. After this time, campaigns that need the list wait for a newer version. */
            good_until: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ScrubListImport: {
            list: components["schemas"]["ScrubList"];
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            /** @description The number of phone numbers that were not in this version yet. */
            added: number;
            /** @description The number of those that were, or that an earlier row has. */
            known: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `numbers`, counted from 1. */
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
            /** @description The id of the campaign. If present, it must match the path. */
            campaign_id?: string | null;
            call_on_weekend?: boolean | null;
            queue_again?: boolean | null;
            call_back_attempts?: number | null;
            retry_delay_seconds?: number | null;
            /** @description The delays before the first call-back of a round, the second, and so on; the last delay repeats. Or an object with such a list for each outcome; other outcomes wait `retry_delay_seconds`. Null applies `retry_delay_seconds` to all. */
            retry_delays_seconds?: (number[] | {
                [key: string]: number[];
            }) | null;
            retry_on?: ("no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown")[] | null;
            max_concurrent_calls?: number | null;
            /** @description The maximum number of calls per second. Null means no limit. */
            calls_per_second?: number | null;
            /** @description The maximum number of calls to one recipient. Null means no limit. */
            max_attempts_per_recipient?: number | null;
            /** @description The purpose of the calls. Some rules apply to one purpose only. Null if unspecified. */
            purpose?: ("marketing" | "service" | "debt_collection") | null;
            /** @description Whether to dial only people with a valid consent that covers the purpose. */
            require_consent?: boolean | null;
            /** @description The bases of consent that the campaign accepts. Null accepts any. */
            consent_bases?: ("prior_express" | "prior_express_written" | "existing_business" | "transactional" | "inquiry")[] | null;
            /** @description The scrub lists that the campaign needs. Numbers on one of them are not dialed, and the campaign waits while one of them is older than it is good for. Null for none. */
            scrub_lists?: string[] | null;
            /** @description Dial only numbers whose newest query of reassigned numbers is at most so many days old and says `no`. Null for none. */
            reassigned_query_days?: number | null;
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
            /** @description Whether to end the calls in progress as well. Only with `canceled` or `finished`. */
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
            /** @description Signs the user in once. Shown only once, because it is not stored. */
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
            /** @description Where the entry comes from: `api`, `import`, or the source that was given. */
            source: string | null;
            note: string | null;
            /** @description The user who added the number. Null for an operator. */
            created_by: {
                /** Format: uuid */
                id: string;
                first_name: string;
                last_name: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** @description When the number may be dialed again. Null means never. */
            expires_at: string | null;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "suppression.added",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "phone_number": "+15550100123",
         *         "reason": "asked for it"
         *       }
         *     }
         */
        SuppressionAddedEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "suppression.added";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                phone_number?: string;
                reason?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "rows": 4,
         *       "added": 2,
         *       "known": 1,
         *       "repeated": 0,
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
            /** @description The number of rows of the file without its first line and blank ones, or of items. */
            rows: number;
            /** @description The number of phone numbers that were not on the list yet. */
            added: number;
            /** @description The number of phone numbers that were already on the list. */
            known: number;
            /** @description The number of rows with the phone number of an earlier row. */
            repeated: number;
            /** @description The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. Phone numbers are masked. */
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
                /** @description How the agent talks if Outdial is its voice runtime. Fields of other runtimes are passed on unchanged. */
                voice?: unknown | components["schemas"]["AgentVoice"];
                /** @description How the agent's calls meet legal requirements. */
                compliance?: {
                    /** @description The organization never again calls a person who presses this key. The agent should announce it. */
                    opt_out_key?: string | null;
                    /** @description Whether the agent's calls begin with a disclosure: who is calling, that the voice is artificial, and how to opt out. Under a calling policy, they always do. */
                    disclose?: boolean;
                    /** @description The language of the disclosure. By default, `voice.language`, or English without one. */
                    language?: string;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description Replaces all of the agent's skills. */
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
             * @description The new state. `retired` is permanent.
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
            phone_numbers?: string[] | null;
            start_date?: string | null;
            /** @description When dialing ends, as in `POST /campaigns`. Null makes the campaign open-ended. */
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
             * @description Which calling hours to enforce: `strict` applies the rules of countries and regions, `standard` those of countries only, and `none` only the windows of campaigns.
             * @enum {string}
             */
            calling_policy?: "strict" | "standard" | "none";
            /** @description Call, in campaigns and directly, only numbers whose newest query of reassigned numbers is at most so many days old and says `no`. Null: only campaigns with their own `reassigned_query_days` need one. */
            reassigned_query_days?: number | null;
            retention?: {
                /** @description How long to keep transcripts and the data extracted from them. */
                transcripts_days?: number | null;
                /** @description How long to keep recordings, including those stored by carriers. */
                recordings_days?: number | null;
                /** @description How long to keep the prompt values of calls, and of campaigns that have ended. */
                prompt_values_days?: number | null;
                /** @description How long to keep whole calls. Their cost remains in the usage. */
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
             * @description The highest role that the user's keys and tokens can have.
             * @enum {string}
             */
            role?: "viewer" | "member" | "manager" | "admin";
            disabled?: boolean;
            /**
             * @description Whether to reject all tokens that were issued to the user until now.
             * @constant
             */
            revoke_tokens?: true;
        };
        UpdateWebhookEndpoint: {
            /** Format: uri */
            url?: string;
            /** @description The types of events to send, or `*` for all. */
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
            /** @description The day, in your organization's time zone. Only with `by=day`. */
            day?: string;
            /** @description Only with `by=campaign`. Null for direct calls. */
            campaign_id?: string | null;
            /**
             * Format: uuid
             * @description Only with `by=agent`.
             */
            agent_id?: string;
            calls: number;
            /** @description Minutes of conversation. */
            minutes: number;
            cost: number;
            /** @description The number of ended calls by outcome. Calls in progress are not counted. */
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
            /** @description Whether the user's keys and tokens are rejected. */
            disabled: boolean;
            disabled_at: string | null;
            /** @description Tokens issued before this time are rejected. */
            tokens_not_before: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ValidationError: {
            detail: components["schemas"]["ValidationErrorEntry"][];
            /**
             * @description The code of every 422.
             * @constant
             */
            code: "validation";
        };
        ValidationErrorEntry: {
            loc: (string | number)[];
            msg: string;
            /** @enum {string} */
            type: "missing" | "string_type" | "string_too_short" | "string_too_long" | "string_pattern_mismatch" | "string_unicode" | "int_type" | "int_parsing" | "float_type" | "bool_type" | "list_type" | "dict_type" | "file_type" | "uuid_parsing" | "datetime_parsing" | "enum" | "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal" | "too_short" | "too_long" | "extra_forbidden" | "value_error";
        };
        WaitingDetail: {
            /** @description A readable explanation of why the campaign is waiting, and until when. */
            message: string;
            /** @description What you can do to end the wait. */
            remedy: string;
            /** @description When the wait ends, if that is known. */
            until: string | null;
            /** @description The time zone of the window that opens next. */
            timezone: string | null;
            /** @description The limit that was reached: a number of lines, or calls per second. */
            limit: number | null;
            /** @description How many of these lines are in use. */
            in_use: number | null;
            /** @description The campaigns of your organization that use the most of these lines. */
            held_by: {
                /** Format: uuid */
                campaign_id: string;
                name: string;
                lines: number;
            }[] | null;
            provider: string | null;
            /** @description The last error that the provider returned. */
            last_error: string | null;
            /** @description Since when the campaign has been unable to dial, for a reason that time alone does not resolve. */
            blocked_since: string | null;
        };
        Warning: {
            /** @enum {string} */
            code: "unknown_field" | "prompt_value_missing" | "prompt_single_braces" | "open_all_day" | "open_at_night" | "default_timezone" | "starts_in_the_past" | "never_open" | "stored_instants_stay" | "would_be_refused" | "hidden_rows" | "hidden_columns" | "unread_sheets" | "repeated_number" | "voice_endpoint_unset" | "reversed_offset" | "natural_voice_first" | "rules_to_review" | "consent_needed";
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
            /** @description The WebSocket URL that the browser opens, with the token appended as `?token=`. */
            url: string;
            /** @description Valid for one connection, until `expires_at`. */
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
            /** @description The HTTP status of the last attempt. */
            response_status: number | null;
            /** @description Why the last attempt failed. */
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
            /** @description Why the service disabled the endpoint: `gone` if it responded with 410, `failing` if all deliveries failed for five days. */
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
            /** @description Why the service disabled the endpoint: `gone` if it responded with 410, `failing` if all deliveries failed for five days. */
            disabled_reason: ("gone" | "failing") | null;
            failing_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The secret for verifying signatures. Shown only once: null in a repeated answer. */
            secret: string | null;
        };
        /**
         * @example {
         *       "id": "019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e",
         *       "type": "webhook.test",
         *       "created_at": "2026-03-02T15:04:50.000Z",
         *       "organization_id": "0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5",
         *       "sequence": 1,
         *       "data": {
         *         "endpoint_id": "0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d"
         *       }
         *     }
         */
        WebhookTestEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook.test";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Increases by one with each event of the same recipient, campaign or direct call. */
            sequence: number;
            data: {
                /** Format: uuid */
                endpoint_id?: string;
            } & {
                [key: string]: unknown;
            };
        };
    };
    responses: {
        /** @description The body is malformed */
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credential is missing or invalid */
        Error401: {
            headers: {
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The role does not permit this, or `organization_id` is not your organization */
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Your organization has no resource with this id */
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state of the resource does not permit this */
        Error409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large */
        Error413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The media type of the body is not supported */
        Error415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid */
        Error422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description Too many requests */
        Error429: {
            headers: {
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal error of the service */
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service, or something it depends on, is temporarily unavailable */
        Error503: {
            headers: {
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource has changed since it had the `ETag` in `If-Match` */
        Error412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The recording does not have the requested range */
        Error416: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
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
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Call"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    makeWebCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebCall"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Agent"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Agent"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Agent"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAgent"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Agent"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Agent"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listAgentCalls: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
                campaign_id?: string;
                /** @description Only calls with this phone number, in E.164 format. Encode the plus sign as %2B. */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description Only calls whose `meta.outcome` has this value. */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["AgentCalls"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listPrompts: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["PromptVersion"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    addPrompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["PromptVersion"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                campaign_id?: string;
                agent_id?: string;
                /** @description Only calls with this phone number, in E.164 format. Encode the plus sign as %2B. */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description Only calls whose `meta.outcome` has this value. */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Call"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Call"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    annotateCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotateCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Call"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    hangUpCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Call"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readCallRecording: {
        parameters: {
            query?: never;
            header?: {
                /** @description A single range of bytes, such as `bytes=0-1023`. */
                Range?: string;
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audio of the recording */
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
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            416: components["responses"]["Error416"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Tag"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
                /** @description `summary` leaves out `phone_numbers` and `additional_params`, and adds `meta.progress`. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignPage"] | components["schemas"]["CampaignSummaryPage"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Campaign"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readCampaign: {
        parameters: {
            query?: {
                /** @description `summary` leaves out `phone_numbers` and `additional_params`, and adds `meta.progress`. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Campaign"] | components["schemas"]["CampaignSummary"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCampaign"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Campaign"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignSummary"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setCampaignStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetCampaignStatus"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Campaign"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignConfig"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setCampaignConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetCampaignConfig"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignConfig"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignProgress"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                state?: "waiting" | "retrying" | "in_call" | "reached" | "unreached" | "suppressed" | "withdrawn";
                /** @description Only recipients whose last call had this outcome. */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description Only the recipient with this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Recipient"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    addRecipients: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["AddedRecipients"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    withdrawRecipient: {
        parameters: {
            query?: {
                /** @description Whether to end a call in progress as well. */
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Recipient"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    retryRecipients: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["RetriedRecipients"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Forecast"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listCampaignCalls: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                agent_id?: string;
                /** @description Only calls with this phone number, in E.164 format. Encode the plus sign as %2B. */
                phone_number?: string;
                status?: "init" | "start" | "finish" | "error" | "other";
                /** @description Only calls whose `meta.outcome` has this value. */
                outcome?: "completed" | "no_answer" | "busy" | "rejected" | "voicemail" | "failed" | "invalid_number" | "canceled" | "unknown";
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Call"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    exportCampaign: {
        parameters: {
            query?: {
                of?: "recipients" | "calls";
                format?: "csv" | "ndjson";
                /** @description Whether a CSV begins with a byte order mark, by which Excel recognizes UTF-8. */
                bom?: "true" | "false";
            };
            header?: never;
            path: {
                campaign_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows of the export */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The campaign as JSON, as in `POST /campaigns`, without `phone_numbers`, which come from the file. Required without `preview`. */
                    campaign?: string;
                    /** @description A JSON object that maps the name of a column to `phone_number`, `timezone`, `region`, `postal_code` or the name of a prompt value (`prompt_params.state` for one that is named like a place), or to null to skip the column. Columns that are not listed keep their names. */
                    mapping?: string;
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /**
                     * @description If `true`, checks the file and reports what would be imported, without creating a campaign. If the campaign itself would be rejected, `meta.warnings` has the reason as `would_be_refused`. Invalid fields return a 422 that also lists the first hundred rejected rows.
                     * @enum {string}
                     */
                    dry_run?: "true" | "false";
                    /**
                     * @description If `true`, together with `dry_run`, shows the file in `data.preview`, and does not look at `campaign`. If it is not clear which column has the phone numbers, no row is taken, and `meta.warnings` has the reason as `would_be_refused`.
                     * @enum {string}
                     */
                    preview?: "true" | "false";
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ImportedCampaign"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    streamCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that you read. Without it, the stream starts now. */
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
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"][];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createKnowledgeBase: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateKnowledgeBase: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateKnowledgeBase"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        data: components["schemas"]["KnowledgeBase"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"][];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    uploadKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                kb_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A PDF or a text file. */
                    file: string;
                    /** @description The name of the item. By default, the name of the file. */
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
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItemWithContent"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateKnowledgeBaseItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                kb_id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A PDF or a text file that replaces the current one. */
                    file?: string;
                    /** @description The new name. Null leaves the name unchanged. */
                    name?: string | null;
                    /** @description The new notes. Null removes the notes. */
                    notes?: string | null;
                    organization_id?: string | null;
                };
                "application/json": {
                    /** @description The new name. Null leaves the name unchanged. */
                    name?: string | null;
                    /** @description The new notes. Null removes the notes. */
                    notes?: string | null;
                    organization_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        data: components["schemas"]["KnowledgeBaseItem"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    searchKnowledgeBase: {
        parameters: {
            query: {
                /** @description A question or keywords. Put a phrase in "quotes", and a minus before a -word to exclude it. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Passage"][];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description Only the entry of this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Suppression"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    addSuppression: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Suppression"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    removeSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The phone number in E.164 format. Encode the plus sign as %2B. */
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Suppression"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importSuppressions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The numbers to suppress, in a JSON body, each with `phone_number` and optionally `reason`, `note` and `expires_at`. A form has a file instead. */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                    source?: string | null;
                };
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["SuppressionImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listConsents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description Only consents of this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Consent"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    addConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Consent"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importConsents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The consents to record, in a JSON body. A form has a file instead. */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                };
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ConsentImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revokeConsent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                consent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Consent"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    proveConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The phone number in E.164 format. Encode the plus sign as %2B. */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ConsentProof"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Disclosures"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listNumberChanges: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description Only changes of this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["NumberChange"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importNumberChanges: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The changes to import, in a JSON body: each with `phone_number`, `kind`, `changed_at` and `source`. A form has a file instead. */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                };
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["NumberChangeImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importNumberQueries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The queries to record, in a JSON body: each with `phone_number`, `queried_at`, `answer` and `source`. A form has a file instead. */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                };
                "application/json": components["schemas"]["ImportNumberQueries"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["NumberQueryImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listNumberQueries: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description Only queries about this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["NumberQuery"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["NumberChange"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listScrubLists: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description Only lists that contain this phone number, in E.164 format. Encode the plus sign as %2B. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["ScrubList"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importScrubList: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    name: string;
                    /** @description The registry or vendor that provides the list. */
                    source: string;
                    /** @description The subscription or organization number under which the list was obtained. */
                    account?: string | null;
                    /**
                     * Format: date-time
                     * @description When this version was obtained. Parts of the same version have the same time.
                     */
                    scrubbed_at: string;
                    /** @description The country or state whose registry this is. A version is good for as long as its law allows: Italy 15 days, Singapore 21, the United Kingdom 28, Australia and France 30, others 31. Without it, as before, or 31 days. */
                    jurisdiction?: string;
                    /** @description Fewer days than the law of the jurisdiction allows. More have no effect. */
                    good_for_days?: number | string;
                    /** @description Take a complete version that is empty, or has less than half of the numbers of the one before. */
                    force?: boolean | ("true" | "false");
                    /** @description Whether this is the whole version or its last part; false if more parts of this version follow. A part that is declared complete is refused as a whole if one of its lines cannot be read. A complete version replaces the previous one; until then, the numbers of both versions apply. One that is empty, or has less than half of the numbers of the previous one, is refused unless `force` is true. */
                    complete: boolean | ("true" | "false");
                    /** @description In a JSON body, the phone numbers; may be empty. A form has a file instead, and here says how its numbers without a leading `+` are written: `international`, with the country code, or `national`. */
                    numbers?: string[] | ("international" | "national");
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                };
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ScrubListImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ScrubList"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Receipt"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listReceiptSeals: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["ReceiptSeal"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    proveReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subject_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ReceiptProof"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["RecipientExplanation"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readCampaignRefusals: {
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CampaignRefusals"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listCallerIds: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["CallerId"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    addCallerId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CallerId"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readCallerId: {
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CallerId"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateCallerId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                caller_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCallerId"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CallerId"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CallerId"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    exportPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The phone number in E.164 format. Encode the plus sign as %2B. */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["PersonExport"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    importPersonNumbers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read. */
                    file: string;
                    /** @description The numbers, in a JSON body: each with `phone_number` and `person_ref`. A form has a file instead. */
                    items?: {
                        [key: string]: unknown;
                    }[];
                    /** @description The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166). */
                    country?: string | null;
                    /** @description How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. Without it, a number that can be read both ways is refused with both readings. */
                    numbers?: ("international" | "national") | null;
                    /** @description In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out. */
                    mapping?: string | null;
                };
                "application/json": components["schemas"]["ImportPersonNumbers"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["PersonNumberImport"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    defendPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The phone number in E.164 format. Encode the plus sign as %2B. */
                phone_number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["PersonDefense"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listErasures: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Erasure"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Erasure"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Erasure"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["User"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["User"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["User"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["User"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["SignInLink"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["ApiKey"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CreatedApiKey"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["ApiKey"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["CreatedApiKey"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOrganization"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Organization"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    readUsage: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Usage"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["WebhookEndpoint"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookEndpointWithSecret"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412. */
                "If-Match"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpoint"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookEndpointWithSecret"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["WebhookDelivery"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    redeliverWebhooksSince: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["Redelivered"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
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
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                /** @description The id of the last event that you read. Omit it to start with the oldest event. */
                after?: string;
                /** @description Only events of these types. Repeat the parameter, or separate the types with commas. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["Event"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description The maximum number of items to return. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Omit it to get the first items. */
                cursor?: string;
                action?: string;
                user_id?: string;
                target_id?: string;
                /** @description At or after this time. */
                from?: string;
                /** @description Before this time. */
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
                    /** @description The version of the resource, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        meta: components["schemas"]["Meta"];
                        data: {
                            items: components["schemas"]["AuditLogEntry"][];
                            /** @description Send it as `cursor` to get the next items. Null at the end of the list. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            /** @description The resource matches `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    on_call_started: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallStartedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_call_answered: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallAnsweredEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_call_ended: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallEndedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_call_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_recipient_finished: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientFinishedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_campaign_started: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignStartedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_campaign_paused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignPausedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_campaign_finished: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignFinishedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_campaign_canceled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignCanceledEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_campaign_blocked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CampaignBlockedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_knowledge_base_item_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KnowledgeBaseItemReadyEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_knowledge_base_item_failed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KnowledgeBaseItemFailedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_suppression_added: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionAddedEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The event has been received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
