import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import { limitOf, type Subject } from './budget.ts'

/** A limit as the database has it now, and what is told of whose it is. */
export type LimitInForce = {
  workspaceId: string
  /** Undefined where there is none any more. */
  limit: PicoUsd | undefined
  interval: Interval | null
  data: object
}

/** Undefined where its key or guardrail is no more, and of turns and sessions: they end, and that is told. */
export async function limitInForce(tx: Tx, subject: Subject): Promise<LimitInForce | undefined> {
  if (subject.kind === 'key') return limitOfKey(tx, subject.hash)
  return subject.kind === 'guardrail' ? limitOfGuardrail(tx, subject.id) : undefined
}

async function limitOfKey(tx: Tx, hash: string): Promise<LimitInForce | undefined> {
  const row = await tx
    .selectFrom('api_keys')
    .where('hash', '=', hash)
    .select(['name', 'label', 'workspace_id', 'creator_user_id', 'external_user', 'limit_usd', 'limit_reset'])
    .executeTakeFirst()
  if (!row) return undefined
  return {
    workspaceId: row.workspace_id,
    ...amountOf(row.limit_usd, row.limit_reset),
    data: {
      ...{ workspace_id: row.workspace_id, limit_of: 'key', key_hash: hash, key_name: row.name, key_label: row.label },
      ...{ creator_user_id: row.creator_user_id, external_user: row.external_user },
    },
  }
}

type SavedPolicy = { limit_usd?: number | null; reset_interval?: Interval | null }

async function limitOfGuardrail(tx: Tx, id: string): Promise<LimitInForce | undefined> {
  const row = await tx
    .selectFrom('guardrails as g')
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .where('g.id', '=', id)
    .select(['g.name', 'g.policy', 'g.workspace_id', 'w.default_guardrail_id'])
    .executeTakeFirst()
  if (!row) return undefined
  const { limit_usd, reset_interval } = JSON.parse(row.policy) as SavedPolicy
  return {
    workspaceId: row.workspace_id,
    ...amountOf(limit_usd, reset_interval),
    data: {
      workspace_id: row.workspace_id,
      limit_of: row.default_guardrail_id === id ? 'workspace' : 'guardrail',
      ...{ guardrail_id: id, guardrail_name: row.name },
    },
  }
}

function amountOf(limitUsd: number | null | undefined, interval: string | null | undefined) {
  return { limit: limitUsd == null ? undefined : limitOf(limitUsd), interval: (interval ?? null) as Interval | null }
}
