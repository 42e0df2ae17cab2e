import type { Generated } from 'kysely'

/** Interns, their hosts, turns, questions and rules. */
export type InternsTables = {
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
    /** The hash of the intern's key. */
    key_hash: string | null
    /** The server that supervises its daemon, and the end of its lease. */
    supervisor: string | null
    supervised_until: Generated<number>
    /** JSON: the repository that is cloned at the start, without its secret. */
    repository: string | null
    /** The password of the repository, encrypted, and the key that encrypted it. */
    repository_sealed: string | null
    repository_sealed_by: string | null
    /** JSON: its MCP servers, without their secrets. */
    mcp_servers: string | null
    /** The MCP servers with their secrets, encrypted, and the key that encrypted them. */
    mcp_servers_sealed: string | null
    mcp_servers_sealed_by: string | null
    /** JSON: the hosts from which it is allowed to fetch pages; null: none. */
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
    /** The number of interns from which on new ones are placed on other hosts; 0 for no limit. */
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
  /** Questions of interns, until they are answered or a day old. */
  intern_questions: {
    intern_id: string
    id: string
    session_id: string
    /** JSON of the question, as it was sent. */
    question: string
    asked_at: number
    deadline_at: number
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
  /** The turns of interns. `status` is `running`, `waiting` or `ended`. */
  intern_runs: {
    intern_id: string
    id: string
    session_id: string
    status: string
    /** 0 or 1. */
    background: number
    started_by: string | null
    /** The question that it waits for. */
    question_id: string | null
    outcome: string | null
    message: string | null
    model: string | null
    /** JSON of `Usage`. */
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
    /** The intern's own key when the run started; empty for runs that only a daemon reports, null for those of older versions. */
    own_key: string | null
    /** JSON: a request that exceeded its budget. */
    refused: string | null
  }
  /** Turns with a budget, from before their first request until they are stored as runs. */
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
  /** All versions of the permission rules of interns. */
  intern_rules: {
    id: string
    workspace_id: string
    /** Null for the rules of the workspace itself. */
    intern_id: string | null
    version: number
    /** JSON: a list of `Rule`. */
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
}
