import type { Generated } from 'kysely'

/** Sums over requests of one slot of time that have all texts in common. */
type RollupSums = {
  /** How long the slot is, in minutes. */
  grain: number
  /** Whole grains since the epoch. */
  slot: number
  /** Stands for all texts that tell cells apart. */
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
  /** Distributions, as src/platform/metrics/sketch.ts writes them. */
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
 * Every table, as SQL holds it: text, integers (instants are milliseconds since the epoch, truth values 0 or 1)
 * and JSON as text. Each noun's own file turns its rows into objects; nothing else reads them.
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
    /** Whether what is asked and answered is kept, of how large a share of requests, and of which keys (JSON). */
    io_logging: Generated<number>
    io_logging_rate: Generated<number>
    io_logging_keys: string | null
    /** Nothing of earlier requests is kept. */
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
    /** Counted by the database: the order of events, also within one millisecond. */
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
  /** The number of announcements of each topic. It is counted on Postgres alone, where there are other servers. */
  signal_revisions: { topic: string; revision: number }
  /** What happened within the last minutes, for who listens. */
  events: {
    seq: Generated<number>
    at: number
    /** Whose it is; null for the operator's. */
    organization_id: string | null
    kind: string
    /** JSON. */
    data: string
  }
  endpoint_minutes: {
    endpoint: string
    minute: number
    /** Which life of which server counted: each writes rows of its own, and readers add them up. */
    writer: string
    successes: number
    errors: number
    /** Distributions, as src/platform/metrics/sketch.ts writes them. */
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
  /** Of all servers together, by hour: minutes are added to it when they are over. */
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
    /** The provider that answered, or was about to. */
    provider: string | null
    /** The slug of the preset that filled it in. */
    preset: string | null
    /** The kind of failure, if the request was refused or failed. */
    error: string | null
    /** The ids of guardrails that refused it or found something, comma-separated. */
    guardrails: string | null
    streamed: Generated<number>
    /** To the first token; null without one. */
    latency_ms: number | null
    duration_ms: Generated<number>
    /** Whether it was counted in the roll-ups when it was written. */
    rolled_up: Generated<number>
  }
  /** What was asked and answered, encrypted by the key that `sealed_by` names. */
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
  /** The same sums by workspace: what reports over all keys read. */
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
  /** What was counted of requests and is not merged into cells yet, written with their rows. */
  rollup_parts: {
    id: string
    /** How many cells it has. */
    size: number
    /** As src/spend/rollups/parts.ts writes them. */
    cells: string
  }
  /** What was counted of requests in one slot of time, by all that tells them apart but for key and member. */
  workspace_cells: RollupCell
  /** The same by key. */
  key_cells: RollupCell & { key_hash: string; user_id: string }
  /** The same by model alone, of hours and days. What was spent on provider keys of workspaces is not in `cost_pico`. */
  model_cells: RollupSums & {
    answered: number
    failed: number
    refused: number
    cancelled: number
    byok_cost_pico: bigint
  }
  /** The day from which these are whole; no row where they always were. */
  model_cells_since: { id: number; day: number }
  /** How far rows of the ledger from before there were roll-ups are counted; no row when they all are. */
  rollup_past: { id: number; after_at: number; after_id: string; until_at: number }
  /** Provider keys that workspaces brought along. */
  provider_credentials: {
    id: string
    organization_id: string
    workspace_id: string
    provider: string
    name: string | null
    label: string
    /** Encrypted, by the key that `sealed_by` names. */
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
    /** Which agent runs it; null for the builtin one. */
    agent: string | null
    /** `manual` or `self-drive`: what holds for a prompt that does not say; `manual` holds for each. */
    approval_mode: Generated<string>
    /** `creator` or `workspace`: who sees it and may talk to it. */
    visibility: Generated<string>
    status: string
    last_failure_message: string | null
    progress: string | null
    hostname: string | null
    /** Its folder on that host. */
    home: string | null
    /** How its daemon is reached from other hosts, encrypted. */
    tcp_access: string | null
    /** JSON: what its host must have. */
    host_labels: string | null
    /** When it was moved to its host, unless it has been started there since. */
    moved_at: number | null
    /** Its own key. */
    key_hash: string | null
    /** The server that watches its daemon, and until when that is certain. */
    supervisor: string | null
    supervised_until: Generated<number>
    /** The repository that is cloned at the start, without its secret. */
    repository: string | null
    /** The secret that opens the repository, encrypted, and by which key. */
    repository_sealed: string | null
    repository_sealed_by: string | null
    /** The servers of tools that it uses, without their secrets. */
    mcp_servers: string | null
    /** The same with their secrets, encrypted, and by which key. */
    mcp_servers_sealed: string | null
    mcp_servers_sealed_by: string | null
    /** The hosts from which it may fetch pages, as JSON; null: none. */
    web_hosts: string | null
    /** Since when it sleeps, or slept where it is being woken: its processes have ended until the next prompt. */
    asleep_since: number | null
    /** The revision up to which its daemon’s milestones are written down in `intern_runs`. */
    runs_seen: Generated<number>
    /** JSON: what each of its turns and sessions may take. */
    budget: string | null
    created_at: number
    updated_at: number
  }
  /** The hosts that interns live on. A server of each renews `seen_at`, by the clock of the database. */
  intern_hosts: {
    name: string
    /** Where servers on other hosts reach the interns of this one. */
    address: string | null
    /** At which port there a server answers for interns that do not run. */
    kept_port: number | null
    /** JSON: what it has. */
    labels: string
    /** How many interns run there before new ones are sent elsewhere; 0 for any number. */
    capacity: number
    seen_at: number
    /** When its server was stopped. */
    left_at: number | null
  }
  /** Who vouches for servers and interns' daemons among each other. The private key is encrypted. */
  intern_authorities: {
    /** Its name in certificates. */
    name: string
    certificate: string
    key_sealed: string
    sealed_by: string
    created_at: number
    expires_at: number
  }
  /** Where members are signed in with a browser. */
  browser_sessions: {
    id: string
    token_hash: string
    organization_id: string
    user_id: string
    /** `key`, `link`, `oidc` or `passkey`. */
    method: string
    /** The management key that signed in, if one did: the session manages as it does, and ends with it. */
    managing_key_hash: string | null
    /** The key whose name and limits its requests of models and interns are under. */
    using_key_hash: string
    address: string | null
    user_agent: string | null
    created_at: number
    /** When it was last used, to the minute. */
    seen_at: number
    expires_at: number
    /** The passkey that started it, if one did: the session ends when that is deleted. */
    passkey_id: string | null
  }
  /** Passkeys of members. */
  passkeys: {
    id: string
    organization_id: string
    user_id: string
    /** The ID that the authenticator chose, base64url. */
    credential_id: string
    /** COSE, base64url. */
    public_key: string
    /** The host name that it is bound to. */
    relying_party: string
    /** The signature counter of the authenticator. 0 if it does not count. */
    signatures: number
    name: string
    created_at: number
    last_used_at: number | null
  }
  /** Challenges that were issued and not used yet. */
  passkey_challenges: {
    challenge_hash: string
    /** The member who adds a passkey; null for a sign-in. */
    user_id: string | null
    expires_at: number
  }
  /** Which member an account at an issuer of OIDC is. */
  oidc_identities: { organization_id: string; issuer: string; subject: string; user_id: string; created_at: number }
  /** Links that sign in once. */
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
    /** What it waits with. */
    question_id: string | null
    outcome: string | null
    message: string | null
    model: string | null
    usage: string | null
    began_at: number
    ended_at: number | null
    /** JSON: what it may take. */
    budget: string | null
    /** The key that began it in the background. */
    key_hash: string | null
    /** What it cost in USD, as far as that counts for the budget of its session. */
    spent_usd: number | null
    /** The intern's own key during a run that has a budget. */
    metered_key: string | null
    /** JSON: a request that its budget left no room for. */
    refused: string | null
  }
  /** Turns that may cost no more than so much, and are no runs yet. */
  announced_turns: {
    id: string
    intern_id: string
    /** Null where its daemon makes a new session. */
    session_id: string | null
    key_hash: string
    budget: string
    began_at: number
    expires_at: number
  }
  /** Requests of interns that no ledger has written yet. */
  requests_under_way: {
    id: string
    key_hash: string
    began_at: number
  }
  /** Where a workspace wants to hear of what happens. */
  webhooks: {
    id: string
    organization_id: string
    workspace_id: string
    url: string
    description: string | null
    /** JSON: the types of events that it hears, and what they hold besides. */
    events: string
    include: string
    enabled: number
    disabled_reason: string | null
    /** Since when nothing has been taken there; null while something is. */
    failing_since: number | null
    /** The secret that signs, encrypted, by which key, and the one before it, which signs as well for a while. */
    sealed: string
    sealed_by: string
    sealed_before: string | null
    before_until: number | null
    created_by: string
    created_at: number
    updated_at: number
  }
  /** What webhooks are to be told, or were. `state` is `pending`, `delivered` or `failed`. Instants by the database’s clock. */
  webhook_deliveries: {
    id: string
    webhook_id: string
    event: string
    payload: string
    /** JSON: the question that its link answers; null where it has none. */
    answerable: string | null
    /** When the link was used. */
    answered_at: number | null
    state: string
    attempts: number
    next_at: number
    /** The server that sends it now, and until when nobody else does. */
    claimed_by: string | null
    claimed_until: number
    last_status: number | null
    last_error: string | null
    created_at: number
    settled_at: number | null
  }
  /** The questions for permission that interns ever asked, as long as they are kept, with what was answered. */
  intern_past_questions: {
    intern_id: string
    id: string
    workspace_id: string
    agent: string
    /** What was to be done (JSON), without what guardrails redact and without credentials. */
    action: string
    asked_at: number
    /** Null when nobody answered. */
    answer: string | null
    answered_by: string | null
  }
  /** Every version of the rules for what interns may do. */
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
  /** The interns that were created under an idempotency key, with the hash of the body. */
  intern_creations: {
    workspace_id: string
    user_id: string
    idempotency_key: string
    body_hash: string
    intern_id: string
    created_at: number
  }
  /** Turns a minute, of a user or an organization, over all servers. */
  turn_counts: { subject: string; minute: number; turns: number }
  /** The spending of a budget, by the period's first day. */
  budget_periods: { budget: string; period: number; spent_pico: bigint }
  /**
   * The money that a server holds of a budget, for requests under way and later ones, and the spending that it
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
  /** Budgets that all spending of a workspace or of an organization counts for. */
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
  /** The schema versions whose servers can use this database: one row. */
  schema_range: { id: number; oldest: number; newest: number }
  /** The most of a limit, in a hundred, that webhooks were told to be spent. `reset_interval` is `never` where it has none. */
  told_limits: {
    budget: string
    period: number
    reset_interval: string
    limit_pico: bigint
    percent: number
    told_at: number
  }
}
