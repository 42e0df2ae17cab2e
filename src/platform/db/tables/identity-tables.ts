import type { Generated } from 'kysely'

/** Organizations, members, workspaces, keys, sign-in and the audit log. */
export type IdentityTables = {
  organizations: {
    id: string
    name: string
    created_at: number
    /** Whether its keys can use interns at all. */
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
    /** Whether prompts and responses are stored, for which share of requests, and for which keys (JSON). */
    io_logging: Generated<number>
    io_logging_rate: Generated<number>
    io_logging_keys: string | null
    /** Contents of requests before this time are deleted. */
    contents_since: Generated<number>
    created_at: number
    updated_at: number
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
  api_keys: {
    hash: string
    kind: string
    name: string
    label: string
    organization_id: string
    workspace_id: string
    creator_user_id: string
    /** 0 or 1. */
    disabled: number
    limit_usd: number | null
    limit_reset: string | null
    /** 0 or 1. */
    include_byok_in_limit: number
    expires_at: number | null
    external_user: string | null
    /** Whether the key can still use interns after its creator has left. */
    interns_grant: Generated<number>
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
    /** JSON: its users, its models, and whether the operator's key is an alternative. */
    rules: string
    sort_order: number
    created_by: string
    created_at: number
    updated_at: number
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
}
