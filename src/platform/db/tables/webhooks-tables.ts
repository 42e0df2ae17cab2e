/** Webhooks and their deliveries. */
export type WebhooksTables = {
  /** The webhooks of workspaces. */
  webhooks: {
    id: string
    organization_id: string
    workspace_id: string
    url: string
    description: string | null
    /** JSON: a list of the types of its events. */
    events: string
    /** JSON: a list of additional contents of the events. */
    include: string
    /** `standard` or `slack`; not used for `mailto:` URLs. */
    format: string
    /** 0 or 1. */
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
    /** JSON: the event, without its response link. */
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
}
