import type { Caller } from '#identity/accounts/caller.ts'
import { resolveUserId } from '#identity/accounts/members/members.ts'
import { findWorkspace, resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import { Fault } from '#platform/core/fault.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { dayOf } from '#spend/ledger/days.ts'
import { type ActivityDimension, listActivity } from '#spend/ledger/spending/activity.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { route } from '../route.ts'
import { ActivityItem, activityItems } from './item.ts'

const listedDays = 30

const groups = ['workspace', 'member', 'key', 'day'] as const

export const listActivityRoute = route({
  method: 'get',
  path: '/activity',
  tag: 'usage',
  key: 'management',
  roles: accessRoles,
  summary: 'List the usage of the last 30 days by day, model and endpoint',
  description:
    'With `group_by`, the rows are also grouped by workspace, member or key, with their names. With `day` in `group_by`, they are not grouped by model and endpoint: `member,day` returns the spend of each member on each day.',
  request: {
    query: z.object({
      date: z.iso
        .date('must be a day, such as 2030-01-31')
        .optional()
        .describe('One day of the last 30 (YYYY-MM-DD, UTC).'),
      api_key_hash: z.string().max(64).optional(),
      user_id: z.string().max(320).optional().describe('ID or email address of a member, also of a former one.'),
      workspace_id: z.string().max(100).optional().describe('ID or slug.'),
      group_by: listParameter(groups).optional().describe('Comma-separated: `workspace`, `member`, `key`, `day`.'),
    }),
  },
  response: z.object({ data: z.array(ActivityItem) }),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { organizationId } = caller
    const today = dayOf(deps.now())
    const day = query.date === undefined ? undefined : dayOf(Date.parse(query.date))
    if (day !== undefined && (day > today || day <= today - listedDays)) {
      throw new Fault('invalid', 'Invalid request: date: must be one of the last 30 days')
    }
    const { user_id: user, workspace_id: workspace } = query
    const sums = await listActivity(deps, {
      organizationId,
      fromDay: day ?? today - listedDays + 1,
      toDay: day ?? today,
      keyHash: query.api_key_hash,
      userId: enforcedUserId(caller) ?? (user && (await requireUserId(deps, organizationId, user))),
      workspaceId: await findWorkspaceId(deps, caller, workspace),
      by: toDimensions(query.group_by ?? []),
    })
    return { data: await activityItems(deps, organizationId, sums) }
  },
})

/** Developers get only their own requests, whatever filters they send. */
const enforcedUserId = ({ access, userId }: Caller) => (access === 'developer' ? userId : undefined)

/**
 * The workspace to count: the caller's, if the caller has access to no other; otherwise the requested one, which can be
 * a deleted one.
 */
async function findWorkspaceId(deps: ApiDeps, caller: Caller, name: string | undefined): Promise<string | undefined> {
  if (caller.isWorkspaceScoped) return resolveWorkspaceId(deps, caller, name)
  return name && ((await findWorkspace(deps, caller, name))?.id ?? name)
}

/** Converts `group_by` to dimensions. `day` removes the grouping by model; the sums are always by day. */
function toDimensions(groupBy: readonly (typeof groups)[number][]): Set<ActivityDimension> {
  const dimensions = new Set<ActivityDimension>(groupBy.filter((group) => group !== 'day'))
  return groupBy.includes('day') ? dimensions : dimensions.add('model')
}

async function requireUserId({ db }: Pick<ApiDeps, 'db'>, organizationId: string, name: string): Promise<string> {
  const id = await resolveUserId(db.query, organizationId, name)
  if (id !== undefined) return id
  throw new Fault('invalid', 'Invalid request: user_id: no member has this email address')
}
