/** The tables of the interface: `operation: method, path, resource of its 200`, and fields with their types. */
export const operations = `
POST /api/v1/agents/{agent_id}/call | Call
GET /api/v1/agents/{agent_id} | Agent
GET /api/v1/agents/{agent_id}/calls | AgentCalls
GET /api/v1/calls/{call_id} | Call
GET /api/v1/calls/{call_id}/recording | audio
POST /api/v1/campaigns | Campaign
GET /api/v1/campaigns | CampaignPage
GET /api/v1/campaigns/{campaign_id} | Campaign
PUT /api/v1/campaigns/{campaign_id} | Campaign
PUT /api/v1/campaigns/{campaign_id}/status | Campaign
PUT /api/v1/campaigns/{campaign_id}/config | CampaignConfig
POST /api/v1/knowledge-base | data KnowledgeBase
GET /api/v1/knowledge-base | data KnowledgeBase list
GET /api/v1/knowledge-base/{kb_id} | data KnowledgeBase
PUT /api/v1/knowledge-base/{kb_id} | data KnowledgeBase
DELETE /api/v1/knowledge-base/{kb_id} | data KnowledgeBase
POST /api/v1/knowledge-base/{kb_id}/items | data KnowledgeBaseItem
GET /api/v1/knowledge-base/{kb_id}/items | data KnowledgeBaseItem list
GET /api/v1/knowledge-base/{kb_id}/items/{item_id} | data KnowledgeBaseItemWithContent
`;

/** `?` after a type: nullable. */
export const fields = `
Call: id uuid? | agent_id uuid? | organization_id uuid? | provider enum? | status enum? | type enum? | phone_number string?
  | conversation_id string? | transcript string? | duration integer? | cost number | notes string? | recording_url string?
  | events array? | prompt_params object? | call_extract object? | external_last_status string? | meta object?
  | system_prompt string? | comments string? | quality integer? | created_by object? | created_at date-time? | tags array?
Campaign: id uuid | created_at date-time | name string | agent_id uuid | status enum | start_date date-time
  | end_date date-time? | start_time string | end_time string | phone_numbers array | organization_id uuid
  | additional_params object
CampaignConfig: id uuid | created_at date-time | campaign_id uuid | call_on_weekend boolean | queue_again boolean
  | call_back_attempts integer
Agent: id uuid | name string | organization object | organization_id uuid | skills array | latest_prompt object?
  | config object
Skill: id uuid | agent_id uuid | type string | exec_order string | enabled boolean | config object
LatestPrompt: level integer | prompt string | explanation string | mitigation string | harmful_intents array
  | agent_id uuid | organization_id uuid
AgentCalls: id uuid | name string | organization_id uuid | config object | calls array
KnowledgeBase: id string | name string | description string | created_at string | updated_at string
  | organization_id string
KnowledgeBaseItem: id string | name string | file_type string | status string | created_at string | updated_at string
  | knowledge_base_id string
KnowledgeBaseItemWithContent: id string | name string | file_type string | status string | created_at string
  | updated_at string | knowledge_base_id string | content string?
CampaignPage: items array | page integer | size integer | total integer | pages integer | previous_page integer?
  | next_page integer?
ValidationErrorEntry: loc array | msg string | type string
`;

/** Fields of bodies and queries; `!` after a name: required. */
export const inputs = `
POST /api/v1/agents/{agent_id}/call: to_phone! string | prompt_params object? | meta object?
POST /api/v1/campaigns: name! string | agent_id! uuid | status enum | start_date string | end_date string?
  | start_time string | end_time string | phone_numbers! array | organization_id uuid | additional_params object
PUT /api/v1/campaigns/{campaign_id}: name string | agent_id uuid | start_date string | end_date string?
  | start_time string | end_time string | phone_numbers array | organization_id uuid | additional_params object
PUT /api/v1/campaigns/{campaign_id}/status: status! enum
PUT /api/v1/campaigns/{campaign_id}/config: call_on_weekend boolean | queue_again boolean | call_back_attempts integer
  | campaign_id uuid
POST /api/v1/knowledge-base: name! string | description string | organization_id uuid
PUT /api/v1/knowledge-base/{kb_id}: name string | description string | organization_id uuid
POST /api/v1/knowledge-base/{kb_id}/items: file! string | name string | notes string
`;
