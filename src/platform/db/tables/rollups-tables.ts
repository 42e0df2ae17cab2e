import type { Generated } from 'kysely'

/** Sums over the requests of one time slot that are equal in all text columns. */
type RollupSums = {
  /** The length of the slot in minutes: 1, 60 or 1440. */
  grain: number
  /** The number of the slot: the time since the epoch, divided by `grain`. */
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
  /** Whether a workspace's own provider key was used: the text `true` or `false`, because all dimensions are text. */
  byok: string
}

/** Roll-ups of the ledger for reports. */
export type RollupsTables = {
  /** Counts of requests that are not merged into cells yet, written together with the rows of the requests. */
  rollup_parts: {
    id: string
    /** The number of cells. */
    size: number
    /** In the format of src/spend/rollups/batches.ts. */
    cells: string
  }
  /** Sums of requests by time slot and all dimensions except key and member. */
  workspace_cells: RollupCell
  /** Sums of requests by time slot and all dimensions, including key and member. */
  key_cells: RollupCell & { key_hash: string; user_id: string }
  /** Sums of requests by hour or day and model. `cost_pico` excludes spending with workspaces' own provider keys. */
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
}
