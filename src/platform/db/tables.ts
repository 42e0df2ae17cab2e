import type { Generated } from 'kysely'

/** Sums over the requests of one time slot that are equal in all text columns. */
type RollupSums = {
  /** The length of the slot in minutes. */
  grain: number
  /** The number of the slot: the grains since the epoch. */
  slot: number
  /** A hash of the text columns, which identify a cell. */
  cell: string
  organization_id: string
  model: string
  requests: number
  prompt_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  cached_tokens: number
  cache_written_tokens: number
  tool_calls: number
  cost_pico: bigint
  saving_pico: bigint
  /** The amount that limits are charged in addition to the cost. */
  margin_pico: Generated<bigint>
  /** Distributions in the format of src/platform/metrics/sketch.ts. */
  latency: string
  duration: string
  throughput: string
}

type RollupCell = RollupSums & {
  workspace_id: string
  endpoint: string
  provider: string
  preset: string
  outcome: string
  error: string
  byok: string
}

/**
 * The columns of every table: text, integers and JSON as text. Times are milliseconds since the epoch, booleans are 0 or 1.
 * The folder of each noun converts its rows to objects; no other code reads them.
 */
export type Tables = {
  organizations: {
    id: string
    name: string
    created_at: number
    /** Whether its keys may use interns at all. */
    interns_programme: Generated<number>
  }
  users: { id: string; name: string; email: string; created_at: number }
  memberships: {
    organization_id: string
    user_id: string
    /** The organization's name for the member. */
    name: Generated<string>
    role: string
    joined_at: number
    left_at: number | null
  }
  workspaces: {
    id: string
    organization_id: string
    name: string
    slug: string
    description: string | null
    default_guardrail_id: string
    created_by: string
    /** Whether prompts and answers are stored, for which share of requests, and for which keys (JSON). */
    io_logging: Generated<number>
    io_logging_rate: Generated<number>
    io_logging_keys: string | null
    /** Contents of requests before this time are deleted. */
    contents_since: Generated<number>
    created_at: number
    updated_at: number
  }
  api_keys: {
    hash: string
    kind: string
    name: string
    label: string
    organization_id: string
    workspace_id: string
    creator_user_id: string
    disabled: number
    limit_usd: number | null
    limit_reset: string | null
    include_byok_in_limit: number
    expires_at: number | null
    external_user: string | null
    /** Whether the key may still use interns after its creator has left. */
    interns_grant: Generated<number>
    created_at: number
    updated_at: number
  }
  guardrails: {
    id: string
    workspace_id: string
    name: string
    description: string | null
    policy: string
    created_at: number
    updated_at: number
  }
  guardrail_assignments: {
    id: string
    guardrail_id: string
    workspace_id: string
    /** `key` or `member`; each target has at most one guardrail of a workspace. */
    target_kind: string
    /** The key's hash or the member's user id. */
    target_id: string
    assigned_by: string
    created_at: number
  }
  presets: {
    id: string
    workspace_id: string
    creator_user_id: string
    name: string
    slug: string
    description: string | null
    status: string
    status_updated_at: number | null
    designated_version_id: string
    created_at: number
    updated_at: number
  }
  preset_versions: {
    id: string
    preset_id: string
    version: number
    creator_id: string
    system_prompt: string | null
    config: string
    created_at: number
    updated_at: number
  }
  audit_events: {
    /** Assigned by the database: the order of events, also within one millisecond. */
    seq: Generated<number>
    id: string
    organization_id: string
    at: number
    actor_user_id: string
    actor_key_hash: string | null
    actor_session_id: string | null
    action: string
    target_kind: string
    target_id: string
    before_json: string | null
    after_json: string | null
  }
  /** The number of notifications of each topic. Only used on Postgres, which several servers share. */
  signal_revisions: { topic: string; revision: number }
  /** Events of the last minutes, for clients that listen. */
  events: {
    seq: Generated<number>
    at: number
    /** Null for events of the operator. */
    organization_id: string | null
    kind: string
    /** JSON. */
    data: string
  }
  endpoint_minutes: {
    endpoint: string
    minute: number
    /** The server process that counted. Each writes separate rows, which readers sum up. */
    writer: string
    successes: number
    errors: number
    /** Distributions in the format of src/platform/metrics/sketch.ts. */
    latency: string
    throughput: string
    written_at: number
  }
  endpoint_hours: {
    endpoint: string
    hour: number
    writer: string
    successes: number
    errors: number
    written_at: number
  }
  /** The sums of all servers by hour. Finished minutes are added to it. */
  endpoint_history: {
    endpoint: string
    hour: number
    successes: number
    errors: number
    latency: string
    throughput: string
  }
  model_hours: {
    model: string
    hour: number
    writer: string
    requests: number
    tokens: number
    tool_calls: number
    written_at: number
  }
  /** One row for each request. Fields that no search needs are in `record`. */
  generations: {
    id: string
    created_at: number
    organization_id: string
    workspace_id: string
    key_hash: string
    user_id: string
    session_id: string | null
    upstream_id: string | null
    model: string
    cost_pico: bigint
    /** The amount that limits are charged besides the cost. */
    margin_pico: Generated<bigint>
    record: string
    outcome: Generated<string>
    /** The provider of the answer, or of the last attempt. */
    provider: string | null
    /** The slug of the preset of the request. */
    preset: string | null
    /** The kind of failure, if the request was refused or failed. */
    error: string | null
    /** The ids of guardrails that refused it or found something, comma-separated. */
    guardrails: string | null
    streamed: Generated<number>
    /** The time to the first token; null without one. */
    latency_ms: number | null
    duration_ms: Generated<number>
    /** Whether the roll-ups count it: 0 not when it was written, 1 without its margin, 2 with it. */
    rolled_up: Generated<number>
  }
  /** Requests whose provider is asked for their cost later. */
  cost_lookups: { id: string; next_at: number; attempts: number }
  /** Endpoints that billed more than a request could cost, with the number of such requests. */
  overbilled_endpoints: { endpoint: string; requests: number; last_at: number; last_generation: string }
  /** Prompts and answers, encrypted with the key that `sealed_by` names. */
  generation_contents: {
    id: string
    organization_id: string
    workspace_id: string
    key_hash: string
    user_id: string
    created_at: number
    sealed_by: string
    sealed: string
  }
  /** Sums over a day (whole days since the epoch, UTC). */
  usage_days: {
    organization_id: string
    day: number
    workspace_id: string
    key_hash: string
    user_id: string
    model: string
    endpoint: string
    byok: number
    requests: number
    prompt_tokens: number
    completion_tokens: number
    reasoning_tokens: number
    cost_pico: bigint
    margin_pico: Generated<bigint>
  }
  /** The same sums by workspace, for reports over all keys. */
  workspace_days: {
    organization_id: string
    day: number
    workspace_id: string
    model: string
    endpoint: string
    byok: number
    requests: number
    prompt_tokens: number
    completion_tokens: number
    reasoning_tokens: number
    cost_pico: bigint
    margin_pico: bigint
  }
  /** Counts of requests that are not merged into cells yet, written together with the rows of the requests. */
  rollup_parts: {
    id: string
    /** The number of cells. */
    size: number
    /** In the format of src/spend/rollups/parts.ts. */
    cells: string
  }
  /** Sums of requests by time slot and all dimensions except key and member. */
  workspace_cells: RollupCell
  /** The same by key. */
  key_cells: RollupCell & { key_hash: string; user_id: string }
  /** The same by model only, of hours and days. `cost_pico` excludes spending with workspaces' own provider keys. */
  model_cells: RollupSums & {
    answered: number
    failed: number
    refused: number
    cancelled: number
    byok_cost_pico: bigint
  }
  /** The first day that `model_cells` covers completely; no row if it covers all. */
  model_cells_since: { id: number; day: number }
  /** The progress of counting rows that are older than the roll-ups; no row when all are counted. */
  rollup_past: { id: number; after_at: number; after_id: string; until_at: number }
  /** Workspaces' own provider keys (BYOK). */
  provider_credentials: {
    id: string
    organization_id: string
    workspace_id: string
    provider: string
    name: string | null
    label: string
    /** Encrypted with the key that `sealed_by` names. */
    sealed: string
    sealed_by: string
    /** JSON. */
    rules: string
    sort_order: number
    created_by: string
    created_at: number
    updated_at: number
  }
  interns: {
    id: string
    organization_id: string
    workspace_id: string
    creator_user_id: string
    name: string
    description: string | null
    instructions: string | null
    model: string | null
    /** The name of its agent; null for the builtin one. */
    agent: string | null
    /** `manual` or `self-drive`: the default of prompts. If it is `manual`, prompts cannot choose `self-drive`. */
    approval_mode: Generated<string>
    /** `creator` or `workspace`: who can see it and send it prompts. */
    visibility: Generated<string>
    status: string
    last_failure_message: string | null
    progress: string | null
    hostname: string | null
    /** Its folder on that host. */
    home: string | null
    /** The address and credentials of its daemon for other hosts, encrypted. */
    tcp_access: string | null
    /** JSON: the labels that its host must have. */
    host_labels: string | null
    /** When it was moved to its host; null once it has started there. */
    moved_at: number | null
    /** The hash of its own key. */
    key_hash: string | null
    /** The server that supervises its daemon, and the end of its lease. */
    supervisor: string | null
    supervised_until: Generated<number>
    /** The repository that is cloned at the start, without its secret. */
    repository: string | null
    /** The password of the repository, encrypted, and the key that encrypted it. */
    repository_sealed: string | null
    repository_sealed_by: string | null
    /** Its MCP servers, without their secrets. */
    mcp_servers: string | null
    /** The same with their secrets, encrypted, and the key that encrypted it. */
    mcp_servers_sealed: string | null
    mcp_servers_sealed_by: string | null
    /** The hosts from which it may fetch pages, as JSON; null: none. */
    web_hosts: string | null
    /** When it fell asleep: its processes have ended until the next prompt. Still set while it wakes. */
    asleep_since: number | null
    /** The revision up to which its daemon’s milestones are stored in `intern_runs`. */
    runs_seen: Generated<number>
    /** JSON: the budget of each of its turns and sessions. */
    budget: string | null
    created_at: number
    updated_at: number
  }
  /** The hosts of interns. A server of each updates `seen_at`, by the clock of the database. */
  intern_hosts: {
    name: string
    /** The address of its interns for servers on other hosts. */
    address: string | null
    /** The port at which a server serves the files of stopped interns. */
    kept_port: number | null
    /** JSON: the labels of the host. */
    labels: string
    /** The number of interns from which on new ones are placed elsewhere; 0 for no limit. */
    capacity: number
    seen_at: number
    /** When its server was stopped. */
    left_at: number | null
  }
  /** The certificate authorities of servers and interns' daemons. The private key is encrypted. */
  intern_authorities: {
    /** Its name in certificates. */
    name: string
    certificate: string
    key_sealed: string
    sealed_by: string
    created_at: number
    expires_at: number
  }
  /** The sessions of members in browsers. */
  browser_sessions: {
    id: string
    token_hash: string
    organization_id: string
    user_id: string
    /** `key`, `link`, `oidc` or `passkey`. */
    method: string
    /** The management key of the sign-in, if there was one: the session has its rights, and ends with it. */
    managing_key_hash: string | null
    /** The key whose name and limits apply to requests of the session. */
    using_key_hash: string
    address: string | null
    user_agent: string | null
    created_at: number
    /** When it was last used, rounded to a minute. */
    seen_at: number
    expires_at: number
    /** The passkey of the sign-in, if there was one: the session ends when it is deleted. */
    passkey_id: string | null
  }
  /** Passkeys of members. */
  passkeys: {
    id: string
    organization_id: string
    user_id: string
    /** The ID from the authenticator, base64url. */
    credential_id: string
    /** In COSE format, base64url. */
    public_key: string
    /** The host name that it is bound to. */
    relying_party: string
    /** The signature counter of the authenticator. 0 if it does not count. */
    signatures: number
    name: string
    created_at: number
    last_used_at: number | null
  }
  /** Issued challenges that are not used yet. */
  passkey_challenges: {
    challenge_hash: string
    /** The member who adds a passkey; null for a sign-in. */
    user_id: string | null
    expires_at: number
  }
  /** The members of accounts at OIDC issuers. */
  oidc_identities: { organization_id: string; issuer: string; subject: string; user_id: string; created_at: number }
  /** Single-use sign-in links. */
  sign_in_links: {
    token_hash: string
    organization_id: string
    user_id: string
    created_at: number
    expires_at: number
  }
  /** Questions of interns, until they are answered or a day old. */
  intern_questions: {
    intern_id: string
    id: string
    session_id: string
    question: string
    asked_at: number
    deadline_at: number
  }
  /** The turns of interns. `status` is `running`, `waiting` or `ended`. */
  intern_runs: {
    intern_id: string
    id: string
    session_id: string
    status: string
    background: number
    started_by: string | null
    /** The question that it waits for. */
    question_id: string | null
    outcome: string | null
    message: string | null
    model: string | null
    usage: string | null
    began_at: number
    ended_at: number | null
    /** JSON: its budget. */
    budget: string | null
    /** The key that started it in the background. */
    key_hash: string | null
    /** Its cost in USD that counts for the budget of its session. */
    spent_usd: number | null
    /** The intern's own key during a run that has a budget. */
    metered_key: string | null
    /** The intern's own key when the run started; null for runs of older versions. */
    own_key: string | null
    /** JSON: a request that exceeded its budget. */
    refused: string | null
  }
  /** Turns with a budget that have not become runs yet. */
  announced_turns: {
    id: string
    intern_id: string
    /** Null if its daemon creates a session. */
    session_id: string | null
    key_hash: string
    budget: string
    began_at: number
    expires_at: number
  }
  /** Requests of interns that are not in the ledger yet. */
  requests_under_way: {
    id: string
    key_hash: string
    began_at: number
  }
  /** The webhooks of workspaces. */
  webhooks: {
    id: string
    organization_id: string
    workspace_id: string
    url: string
    description: string | null
    /** JSON: the types of its events. `include` lists additional contents. */
    events: string
    include: string
    /** `standard` or `slack`; not used for `mailto:` URLs. */
    format: string
    enabled: number
    disabled_reason: string | null
    /** The first failure since the last success; null after a success. */
    failing_since: number | null
    /** The secret for signatures, encrypted, the key that encrypted it, and the previous secret, which also signs for some time. */
    sealed: string
    sealed_by: string
    sealed_before: string | null
    before_until: number | null
    created_by: string
    created_at: number
    updated_at: number
  }
  /** Deliveries of webhooks. `state` is `pending`, `delivered` or `failed`. Times are by the database’s clock. */
  webhook_deliveries: {
    id: string
    webhook_id: string
    event: string
    payload: string
    /** JSON: the question that its link answers; null without a link. */
    answerable: string | null
    /** When the link was used. */
    answered_at: number | null
    state: string
    attempts: number
    next_at: number
    /** The server that has claimed it, and the end of the claim. */
    claimed_by: string | null
    claimed_until: number
    last_status: number | null
    last_error: string | null
    created_at: number
    settled_at: number | null
  }
  /** Past requests of interns for permission with their answers, until their retention ends. */
  intern_past_questions: {
    intern_id: string
    id: string
    workspace_id: string
    agent: string
    /** JSON: the requested action, redacted by guardrails and without credentials. */
    action: string
    asked_at: number
    /** Null without an answer. */
    answer: string | null
    answered_by: string | null
  }
  /** All versions of the permission rules of interns. */
  intern_rules: {
    id: string
    workspace_id: string
    /** Null for the rules of the workspace itself. */
    intern_id: string | null
    version: number
    rules: string
    created_by: string
    created_at: number
  }
  /** Interns that were created with an idempotency key, with the hash of the request body. */
  intern_creations: {
    workspace_id: string
    user_id: string
    idempotency_key: string
    body_hash: string
    intern_id: string
    created_at: number
  }
  /** The number of turns per minute of a user or an organization, over all servers. */
  turn_counts: { subject: string; minute: number; turns: number }
  /** The spending of a budget by period. The number of a period is its first day. */
  budget_periods: { budget: string; period: number; spent_pico: bigint }
  /**
   * The amount of a budget that a server has leased, for current and later requests, and the spending that it has
   * reported.
   */
  budget_leases: {
    budget: string
    period: number
    server: string
    held_pico: bigint
    renewed_at: number
    spent_pico: bigint
  }
  /** The members of workspaces. Owners and admins of the organization reach every workspace without a row. */
  workspace_members: {
    id: string
    organization_id: string
    workspace_id: string
    user_id: string
    /** `admin`, `developer` or `viewer`. */
    role: string
    /** `manual`, or `oidc` for members whom a claim of the issuer added. */
    source: string
    created_at: number
  }
  /** Budgets of workspaces and organizations, for all spending in them. */
  pooled_budgets: {
    id: string
    organization_id: string
    /** Null for a budget of the organization. */
    workspace_id: string | null
    /** `workspace` or `organization`. */
    owner_kind: string
    /** The workspace or the organization. */
    owner_id: string
    /** `daily`, `weekly`, `monthly` or `lifetime`; at most one of each for an owner. */
    reset_interval: string
    limit_usd: number
    include_byok: number
    /** The id of its account in `budget_periods` and `budget_leases`. */
    account: string
    created_at: number
    updated_at: number
  }
  /** The schema versions whose servers can use this database. One row. */
  schema_range: { id: number; oldest: number; newest: number }
  /** JSON: the percentages of a limit that are announced, if they are not the default. `owner`: see `thresholdOwner`. */
  budget_thresholds: { owner: string; organization_id: string; percents: string; updated_at: number }
  /** The highest percentage of a limit that was announced to webhooks. `reset_interval` is `never` for lifetime limits. */
  told_limits: {
    budget: string
    period: number
    reset_interval: string
    limit_pico: bigint
    percent: number
    told_at: number
  }
}
