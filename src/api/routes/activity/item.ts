import { parseEndpointId } from '#catalogue/index/model.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import { readKeyNames, readUserNames, readWorkspaceNames } from '#identity/accounts/account-names.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import type { Activity } from '#spend/ledger/spending/activity.ts'

const Name = z.string().nullable().optional()

export const ActivityItem = z
  .object({
    date: z.string().describe('YYYY-MM-DD, UTC.'),
    model: z
      .string()
      .optional()
      .describe('Absent, like all fields about the model, if the rows are not grouped by model.'),
    model_permaslug: z.string().optional(),
    endpoint_id: z.string().optional(),
    provider_name: z.string().optional(),
    workspace_id: z.string().optional(),
    workspace_name: Name,
    user_id: z.string().optional().describe('The owner of the key.'),
    user_name: Name.describe('The name in the organization; null if it is no longer known.'),
    user_email: Name,
    api_key_hash: z.string().optional(),
    api_key_name: Name.describe('The name of the key. For a deleted key, its last name.'),
    requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    reasoning_tokens: z.int(),
    usage: z.number().describe('Cost in USD with the operator’s provider credentials.'),
    byok_usage_inference: z.number().describe('Cost in USD with the workspace’s own provider credentials.'),
    unconfirmed_usd: z
      .number()
      .describe(
        'Charged to limits in USD in addition to `usage` and `byok_usage_inference`, because no provider reported what it billed.',
      ),
  })
  .meta({ id: 'ActivityItem', description: 'The usage of one day, for a model and endpoint or for another grouping.' })
type ActivityItem = z.infer<typeof ActivityItem>

type ActivityItemDeps = { db: Db; catalogue: { current: () => Pick<Snapshot, 'findModel'> } }

/** Converts sums to items in the same order, and adds the names of keys, members and workspaces. */
export async function activityItems(
  deps: ActivityItemDeps,
  organizationId: string,
  sums: readonly Activity[],
): Promise<ActivityItem[]> {
  const { findModel } = deps.catalogue.current()
  const defined = <T>(values: (T | undefined)[]) => values.filter((value) => value !== undefined)
  const [workspaces, users, keys] = await Promise.all([
    readWorkspaceNames(deps.db, organizationId, defined(sums.map(({ workspaceId }) => workspaceId))),
    readUserNames(deps.db, organizationId, defined(sums.map(({ userId }) => userId))),
    readKeyNames(deps.db, organizationId, defined(sums.map(({ keyHash }) => keyHash))),
  ])
  return sums.map(({ workspaceId, userId, keyHash, ...sum }) => {
    const item: ActivityItem = {
      date: sum.date,
      requests: sum.requests,
      prompt_tokens: sum.promptTokens,
      completion_tokens: sum.completionTokens,
      reasoning_tokens: sum.reasoningTokens,
      usage: sum.costUsd,
      byok_usage_inference: sum.byokUsd,
      unconfirmed_usd: sum.unconfirmedUsd,
    }
    if (sum.model !== undefined) Object.assign(item, modelFields(sum.model, sum.endpoint ?? '', findModel))
    if (workspaceId !== undefined) {
      item.workspace_id = workspaceId
      item.workspace_name = workspaces.get(workspaceId)?.name ?? null
    }
    if (userId !== undefined) {
      item.user_id = userId
      item.user_name = users.get(userId)?.name ?? null
      item.user_email = users.get(userId)?.email ?? null
    }
    if (keyHash !== undefined) {
      item.api_key_hash = keyHash
      item.api_key_name = keys.get(keyHash)?.name ?? null
    }
    return item
  })
}

function modelFields(model: string, endpoint: string, findModel: Snapshot['findModel']) {
  return {
    model,
    model_permaslug: findModel(model)?.canonicalSlug ?? model,
    endpoint_id: endpoint,
    // A tag is the slug of the provider, with a suffix after `/` for some endpoints.
    provider_name: parseEndpointId(endpoint).tag.split('/')[0] ?? '',
  }
}
