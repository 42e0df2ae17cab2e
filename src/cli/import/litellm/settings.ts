import type { LitellmConfig, Section } from './config.ts'
import type { ImportNotes } from './import-notes.ts'
import { weightOf } from './row-fields.ts'

/** The counterpart of each LiteLLM setting that is not imported; `null` for settings that are imported. */
const counterparts: Record<string, string | null> = {
  // Imported by other files of this folder.
  max_budget: null,
  budget_duration: null,
  default_key_generate_params: null,
  default_internal_user_params: null,
  default_team_settings: null,
  max_internal_user_budget: null,
  internal_user_budget_duration: null,
  guardrails: null,
  fallbacks: null,
  context_window_fallbacks: null,
  content_policy_fallbacks: null,
  model_group_alias: null,
  // Not imported.
  master_key: 'not copied: the first start creates a new management key, and clients get the new API key "litellm"',
  database_url: 'set DATABASE_URL to a separate Postgres database; the tables of LiteLLM are not read',
  max_end_user_budget: 'budgets for end users are not supported: create a key with a limit for each',
  default_end_user_params: 'budgets for end users are not supported: create a key with a limit for each',
  upperbound_key_generate_params: 'upper bounds for new keys are not supported: only management keys create keys',
  default_team_params: 'a new workspace has no limits: change its default guardrail',
  provider_budget_config: 'budgets for providers are not supported: a guardrail limits a workspace, key or member',
  default_fallbacks: 'use the field models in a request or preset',
  custom_auth: 'only keys of this service are accepted: use a proxy for other authentication',
  enable_jwt_auth: 'only keys of this service are accepted: use a proxy for other authentication',
  drop_params: 'docs/translation.md describes how unsupported parameters are handled',
  modify_params: 'not needed: requests are translated to the protocol of each provider',
  num_retries: 'not needed: the next endpoint is tried automatically (docs/routing.md)',
  allowed_fails: 'not needed: circuit breakers open automatically (docs/routing.md)',
  cooldown_time: 'not needed: circuit breakers open automatically (docs/routing.md)',
  retry_after: 'not needed: the Retry-After header of a provider is respected (docs/routing.md)',
  routing_strategy:
    'endpoints are chosen at random, cheaper ones more often; change it with provider.sort in a request or preset (docs/routing.md)',
  timeout: 'docs/configuration.md lists the timeouts',
  request_timeout: 'docs/configuration.md lists the timeouts',
  stream_timeout: 'docs/configuration.md lists the timeouts',
  cache: 'answers are not cached; the prompt caches of providers are used',
  cache_params: 'answers are not cached; the prompt caches of providers are used',
  callbacks: 'use metrics, OTLP traces and GET /activity (docs/monitoring.md)',
  success_callback: 'use metrics, OTLP traces and GET /activity (docs/monitoring.md)',
  failure_callback: 'use metrics, OTLP traces and GET /activity (docs/monitoring.md)',
  service_callback: 'use metrics, OTLP traces and GET /activity (docs/monitoring.md)',
  alerting: 'use the Prometheus alerts of ops/alerts.yml (docs/monitoring.md)',
  set_verbose: 'use LOG_LEVEL',
  json_logs: 'use LOG_FORMAT=json',
  redis_host: 'not needed: servers share their state in Postgres',
  redis_port: 'not needed: servers share their state in Postgres',
  redis_password: 'not needed: servers share their state in Postgres',
  turn_off_message_logging: 'not needed: prompts are not stored',
  store_prompts_in_spend_logs: 'prompts are not stored',
  store_model_in_db: 'models are read from files (docs/catalogue.md)',
  custom_provider_map: 'custom code is not supported: run it behind a server with the OpenAI protocol',
  mcp_servers: 'the service is not a gateway for MCP servers',
  environment_variables: 'set them in the environment of the service',
  include: 'included files are not read: import each file',
}

/** Adds a note for each setting that was not imported. */
export function noteSettings({ litellm, general, router, others }: LitellmConfig, notes: ImportNotes): void {
  const sections = { litellm_settings: litellm, general_settings: general, router_settings: router }
  for (const [section, values] of Object.entries(sections)) noteSection(section, values, notes)
  for (const name of Object.keys(others)) notes.add(name, counterparts[name] ?? 'no counterpart')
}

function noteSection(section: string, values: Section, notes: ImportNotes): void {
  for (const [name, value] of Object.entries(values)) {
    const counterpart = counterparts[name]
    // A setting that is off or empty changes nothing.
    if (counterpart === null || value === null || value === false) continue
    notes.add(`${section}.${name}`, counterpart ?? 'no counterpart')
  }
}

/** The counterpart of each parameter of a row that is not imported. */
const rowParameters: Record<string, string> = {
  rpm: 'rate limits for endpoints are not supported: an endpoint that answers 429 is paused',
  tpm: 'rate limits for endpoints are not supported: an endpoint that answers 429 is paused',
  max_parallel_requests: 'rate limits for endpoints are not supported: an endpoint that answers 429 is paused',
  order:
    'endpoints are chosen at random, cheaper ones more often; change it with provider.order in a request or preset (docs/routing.md)',
  max_budget: 'budgets for models are not supported: a guardrail limits a workspace, key or member',
  extra_headers: 'custom headers for providers are not supported',
  organization: 'the organization header is not sent: project keys of OpenAI belong to one organization',
  extra_body: 'add the fields to requests or presets',
  tags: 'routing by tags is not supported',
}

/** Adds a note for each parameter of a row that was not imported. */
export function noteParameters({ rows }: LitellmConfig, notes: ImportNotes): void {
  for (const { row } of rows) {
    if (!row) continue
    const { model_name: model, litellm_params: parameters } = row
    if (parameters.weight !== undefined && parameters.weight !== null && weightOf(row) === undefined)
      notes.add(`weight of ${model}`, 'it is not a number from 0 to 1,000,000')
    for (const [name, reason] of Object.entries(rowParameters))
      if (parameters[name] !== undefined) notes.add(`${name} of ${model}`, reason)
  }
}
