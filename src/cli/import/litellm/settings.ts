import type { LitellmConfig, Section } from './config.ts'
import type { Left } from './left.ts'

/** The counterpart of each LiteLLM setting that is not imported; `null` for settings that are. */
const places: Record<string, string | null> = {
  // Taken elsewhere in this folder.
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
  // Elsewhere, or nowhere.
  master_key:
    'not copied: the first start makes a management key of its own, and clients get the key "litellm" in its place',
  database_url: 'set DATABASE_URL to a Postgres database of its own; what LiteLLM keeps in its tables is not read',
  max_end_user_budget: 'end users have no budget: make each a key with a limit',
  default_end_user_params: 'end users have no budget: make each a key with a limit',
  upperbound_key_generate_params: 'there is no upper bound for new keys: only management keys make them',
  default_team_params: 'a workspace begins without limits: change its default guardrail',
  provider_budget_config:
    'there is no budget for a provider: a guardrail limits what a workspace, key or member spends',
  default_fallbacks: 'say models in the request, or in a preset',
  custom_auth: 'keys of this service are the only way in: put a proxy before it for another',
  enable_jwt_auth: 'keys of this service are the only way in: put a proxy before it for another',
  drop_params: 'docs/routing.md says what becomes of parameters that an endpoint does not take',
  modify_params: 'nothing to do: requests are put into the words of each protocol',
  num_retries: 'the next endpoint is tried by itself (docs/routing.md)',
  allowed_fails: 'circuits open by themselves (docs/routing.md)',
  cooldown_time: 'circuits open by themselves (docs/routing.md)',
  retry_after: 'what a provider asks for is kept to (docs/routing.md)',
  routing_strategy:
    'endpoints are drawn by price; provider.sort in a request or preset says otherwise (docs/routing.md)',
  timeout: 'docs/configuration.md has the timeouts',
  request_timeout: 'docs/configuration.md has the timeouts',
  stream_timeout: 'docs/configuration.md has the timeouts',
  cache: 'answers are not kept; what providers cache is used',
  cache_params: 'answers are not kept; what providers cache is used',
  callbacks: 'metrics, traces by OTLP and GET /activity (docs/operations.md)',
  success_callback: 'metrics, traces by OTLP and GET /activity (docs/operations.md)',
  failure_callback: 'metrics, traces by OTLP and GET /activity (docs/operations.md)',
  service_callback: 'metrics, traces by OTLP and GET /activity (docs/operations.md)',
  alerting: 'ops/alerts.yml has alerts for Prometheus (docs/operations.md)',
  set_verbose: 'LOG_LEVEL',
  json_logs: 'LOG_FORMAT=json',
  redis_host: 'no Redis is needed: servers share their state by Postgres',
  redis_port: 'no Redis is needed: servers share their state by Postgres',
  redis_password: 'no Redis is needed: servers share their state by Postgres',
  turn_off_message_logging: 'nothing to do: prompts are not kept',
  store_prompts_in_spend_logs: 'prompts are not kept',
  store_model_in_db: 'models are in files (docs/catalogue.md)',
  custom_provider_map: 'code of your own is not run: put it behind a server that speaks OpenAI’s protocol',
  mcp_servers: 'there is no gateway for MCP servers',
  environment_variables: 'set them in the environment of the service',
  include: 'other files are not followed: import each',
}

/** Says of each setting that nobody took where it goes. */
export function tellSettings({ litellm, general, router, others }: LitellmConfig, left: Left): void {
  const sections = { litellm_settings: litellm, general_settings: general, router_settings: router }
  for (const [section, values] of Object.entries(sections)) tell(section, values, left)
  for (const name of Object.keys(others)) left.add(name, places[name] ?? 'nothing here is like it')
}

function tell(section: string, values: Section, left: Left): void {
  for (const [name, value] of Object.entries(values)) {
    const place = places[name]
    // Off or empty is what is here.
    if (place === null || value === null || value === false) continue
    left.add(`${section}.${name}`, place ?? 'nothing here is like it')
  }
}

/** Parameters of rows that nothing here is like, told once for all rows. */
const ofRows: Record<string, string> = {
  rpm: 'an endpoint has no limit of rate: it is left alone while it limits its own',
  tpm: 'an endpoint has no limit of rate: it is left alone while it limits its own',
  max_parallel_requests: 'an endpoint has no limit of rate: it is left alone while it limits its own',
  weight: 'endpoints are drawn by price (docs/routing.md)',
  order: 'endpoints are drawn by price; provider.order in a request or preset says otherwise (docs/routing.md)',
  max_budget: 'there is no budget for a model: a guardrail limits what a workspace, key or member spends',
  extra_headers: 'headers of your own are not sent to providers',
  organization: 'a header for the organization is not sent: keys of OpenAI’s projects belong to one',
  extra_body: 'fields of your own go into requests or presets',
  tags: 'there is no routing by tags',
}

export function tellParameters({ rows }: LitellmConfig, left: Left): void {
  for (const { row } of rows)
    for (const [name, reason] of Object.entries(row ? ofRows : {}))
      if (row!.litellm_params[name] !== undefined) left.add(`${name} of ${row!.model_name}`, reason)
}
