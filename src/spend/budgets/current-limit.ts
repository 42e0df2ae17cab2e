import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Grouping } from '../ledger/request-group.ts'
import { type Spender, type Subject, spendLimitNameOf } from './budget.ts'
import { toBudget } from './pooled/pooled-budget.ts'
import { findByAccount } from './pooled/pooled-budget-rows.ts'

type SubjectOf<Kind> = Extract<Subject, { kind: Kind }>

/** A limit as stored in the database. */
type CurrentLimit = {
  workspaceId: string
  /** Undefined if the limit was removed. */
  limit: PicoUsd | undefined
  interval: Interval | null
  /** The fields of webhooks that describe the subject. */
  data: object
}

/**
 * Reads the current limit of a subject. Undefined if the subject was deleted, and for limits of an intern's turns and sessions.
 * The limits that a guardrail sets for each session are of kind `group`.
 */
export async function findCurrentLimit(tx: Tx, subject: Subject): Promise<CurrentLimit | undefined> {
  if (subject.kind === 'key') return readKeyLimit(tx, subject.hash)
  if (subject.kind === 'guardrail' || subject.kind === 'group') return readGuardrailLimit(tx, subject)
  return subject.kind === 'pool' ? readPoolLimit(tx, subject) : undefined
}

async function readKeyLimit(tx: Tx, hash: string): Promise<CurrentLimit | undefined> {
  const row = await tx
    .selectFrom('api_keys')
    .where('hash', '=', hash)
    .select(['name', 'label', 'workspace_id', 'creator_user_id', 'external_user', 'limit_usd', 'limit_reset'])
    .executeTakeFirst()
  if (!row) return undefined
  return {
    workspaceId: row.workspace_id,
    ...toLimit(row.limit_usd, row.limit_reset),
    data: {
      workspace_id: row.workspace_id,
      limit_of: 'key',
      key_hash: hash,
      key_name: row.name,
      key_label: row.label,
      creator_user_id: row.creator_user_id,
      external_user: row.external_user,
    },
  }
}

type StoredLimit = { limit_usd?: number | null; reset_interval?: Interval | null }
type StoredPolicy = StoredLimit & { group_limits?: (StoredLimit & { by: string; tag_name?: string | null })[] | null }

async function readGuardrailLimit(
  tx: Tx,
  subject: SubjectOf<'guardrail'> | SubjectOf<'group'>,
): Promise<CurrentLimit | undefined> {
  const { guardrailId } = subject
  const row = await tx.selectFrom('guardrails').where('id', '=', guardrailId).selectAll().executeTakeFirst()
  if (!row) return undefined
  const policy = JSON.parse(row.policy) as StoredPolicy
  const limit = subject.kind === 'group' ? findGroupLimit(policy, subject.grouping) : policy
  return {
    workspaceId: row.workspace_id,
    ...toLimit(limit?.limit_usd, limit?.reset_interval),
    data: {
      workspace_id: row.workspace_id,
      limit_of: 'guardrail',
      layer: spendLimitNameOf(subject),
      guardrail_id: guardrailId,
      guardrail_name: row.name,
      ...(subject.kind === 'group' ? groupData(subject) : await readSpenderData(tx, subject.spender)),
    },
  }
}

function findGroupLimit({ group_limits }: StoredPolicy, grouping: Grouping): StoredLimit | undefined {
  const tagName = grouping.by === 'tag' ? grouping.name : undefined
  return group_limits?.find(({ by, tag_name }) => by === grouping.by && (tag_name ?? undefined) === tagName)
}

const groupData = ({ grouping, value }: SubjectOf<'group'>) =>
  grouping.by === 'session' ? { session_id: value } : { tag_name: grouping.name, tag_value: value }

const readSpenderData = (tx: Tx, spender: Spender) =>
  spender.kind === 'member' ? readMemberData(tx, spender.userId) : readKeyData(tx, spender.hash)

async function readMemberData(tx: Tx, userId: string) {
  const user = await tx.selectFrom('users').where('id', '=', userId).select('email').executeTakeFirst()
  return { user_id: userId, user_email: user?.email ?? null }
}

async function readKeyData(tx: Tx, hash: string) {
  const key = await tx.selectFrom('api_keys').where('hash', '=', hash).select(['name', 'label']).executeTakeFirst()
  return { key_hash: hash, key_name: key?.name ?? null, key_label: key?.label ?? null }
}

async function readPoolLimit(tx: Tx, subject: SubjectOf<'pool'>): Promise<CurrentLimit | undefined> {
  const row = await findByAccount(tx, subject.account)
  if (!row) return undefined
  const { kind, id } = subject.pool
  const workspaceId = kind === 'workspace' ? id : await findFirstWorkspaceId(tx, id)
  if (workspaceId === undefined) return undefined
  const { limit, interval } = toBudget(row)
  return {
    workspaceId,
    limit,
    interval,
    data: {
      workspace_id: kind === 'workspace' ? id : null,
      limit_of: kind,
      layer: spendLimitNameOf(subject),
      budget_id: row.id,
    },
  }
}

/** Returns the oldest workspace, which gets the events of an organization's budget: each event needs a workspace. */
async function findFirstWorkspaceId(tx: Tx, organizationId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('workspaces')
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .select('id')
    .executeTakeFirst()
  return row?.id
}

function toLimit(limitUsd: number | null | undefined, interval: string | null | undefined) {
  return { limit: limitUsd == null ? undefined : toPicoUsd(limitUsd), interval: (interval ?? null) as Interval | null }
}
