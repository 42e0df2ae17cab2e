/** Budgets and their spending. */
export type BudgetsTables = {
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
    /** 0 or 1: whether spending on own provider keys counts. */
    include_byok: number
    /** The id of its account in `budget_periods` and `budget_leases`. */
    account: string
    created_at: number
    updated_at: number
  }
  /**
   * The percentages of a limit at which webhooks are notified, as JSON, if they are not the default. `owner` is the key, guardrail or
   * budget, such as `key:<hash>` (`thresholdOwner` in `thresholds.ts`).
   */
  budget_thresholds: { owner: string; organization_id: string; percents: string; updated_at: number }
  /** The highest percentage of a limit for which webhooks were notified. `reset_interval` is `never` for lifetime limits. */
  told_limits: {
    budget: string
    period: number
    reset_interval: string
    limit_pico: bigint
    percent: number
    told_at: number
  }
}
