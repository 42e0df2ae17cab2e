import type { Kysely } from 'kysely'

type Policy = { limit_usd?: number | null; reset_interval?: string | null; include_byok_in_budgets?: boolean }

type Before = {
  guardrails: { id: string; workspace_id: string; policy: string; created_at: number }
  workspaces: { id: string; organization_id: string; default_guardrail_id: string }
  pooled_budgets: {
    id: string
    organization_id: string
    workspace_id: string | null
    owner_kind: string
    owner_id: string
    reset_interval: string
    limit_usd: number
    include_byok: number
    account: string
    created_at: number
    updated_at: number
  }
}

/**
 * Budgets of workspaces and organizations, to which all their spending counts. In the previous version, the limit of a default
 * guardrail was such a budget; now it applies to each member and key. The limit is copied into a budget of the workspace, so
 * that no workspace can spend more after the upgrade. The budget keeps the account, which servers of the previous version
 * continue to use.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pooled_budgets')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.references('workspaces.id').onDelete('cascade'))
    .addColumn('owner_kind', 'text', (c) => c.notNull())
    .addColumn('owner_id', 'text', (c) => c.notNull())
    .addColumn('reset_interval', 'text', (c) => c.notNull())
    .addColumn('limit_usd', 'double precision', (c) => c.notNull())
    .addColumn('include_byok', 'integer', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('pooled_budgets_owner', ['owner_kind', 'owner_id', 'reset_interval'])
    .execute()
  await db.schema.createIndex('pooled_budgets_organization').on('pooled_budgets').column('organization_id').execute()
  await copyDefaultGuardrailLimits(db as Kysely<Before>)
}

async function copyDefaultGuardrailLimits(db: Kysely<Before>): Promise<void> {
  const defaults = await db
    .selectFrom('guardrails as g')
    .innerJoin('workspaces as w', 'w.default_guardrail_id', 'g.id')
    .select(['g.id', 'g.workspace_id', 'g.policy', 'g.created_at', 'w.organization_id'])
    .execute()
  for (const { id, workspace_id, policy, created_at, organization_id } of defaults) {
    const { limit_usd, reset_interval, include_byok_in_budgets } = JSON.parse(policy) as Policy
    if (limit_usd == null || limit_usd <= 0) continue
    await db
      .insertInto('pooled_budgets')
      .values({
        // The guardrail's own id is unique, and no other budget has it.
        id,
        organization_id,
        workspace_id,
        owner_kind: 'workspace',
        owner_id: workspace_id,
        reset_interval: reset_interval ?? 'lifetime',
        limit_usd,
        include_byok: include_byok_in_budgets ? 1 : 0,
        account: `guardrail:${id}`,
        created_at,
        updated_at: created_at,
      })
      .execute()
  }
}
