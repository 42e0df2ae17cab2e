import { z } from 'zod'
import { Fault } from '#lib/fault.ts'
import { dayOf } from '#usage/days.ts'
import { type Activity, listActivity } from '#usage/read.ts'
import { route } from '../../route.ts'

const ActivityItem = z
  .object({
    date: z.string().describe('YYYY-MM-DD, UTC.'),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    provider_name: z.string(),
    workspace_id: z.string().optional(),
    requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    reasoning_tokens: z.int(),
    usage: z.number().describe('In USD, on this service’s own provider credentials.'),
    byok_usage_inference: z.number().describe('In USD, on the workspace’s own.'),
  })
  .meta({ id: 'ActivityItem', description: 'What was used on one day, of one model at one endpoint.' })

const daysShown = 30

export const listAllActivity = route({
  method: 'get',
  path: '/activity',
  tag: 'usage',
  key: 'management',
  summary: 'What was used in the last 30 days, by day, model and endpoint',
  request: {
    query: z.object({
      date: z.iso.date().optional().describe('One day of the last 30 (YYYY-MM-DD, UTC).'),
      api_key_hash: z.string().max(64).optional(),
      user_id: z.string().max(100).optional(),
      workspace_id: z.string().max(100).optional(),
      group_by: z.enum(['workspace']).optional(),
    }),
  },
  response: z.object({ data: z.array(ActivityItem) }),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const today = dayOf(deps.now())
    const day = query.date === undefined ? undefined : dayOf(Date.parse(query.date))
    if (day !== undefined && (day > today || day <= today - daysShown)) {
      throw new Fault('invalid', 'Invalid request: date: must be one of the last 30 days')
    }
    const found = await listActivity(deps, {
      organizationId: caller.organizationId,
      fromDay: day ?? today - daysShown + 1,
      toDay: day ?? today,
      keyHash: query.api_key_hash,
      userId: query.user_id,
      workspaceId: query.workspace_id,
      byWorkspace: query.group_by === 'workspace',
    })
    const { findModel } = deps.catalogue.current()
    return { data: found.map((item) => activityItem(item, findModel(item.model)?.canonicalSlug)) }
  },
})

function activityItem(item: Activity, canonicalSlug: string | undefined): z.infer<typeof ActivityItem> {
  return {
    date: item.date,
    model: item.model,
    model_permaslug: canonicalSlug ?? item.model,
    endpoint_id: item.endpoint,
    // An endpoint's id is `<model>@<provider's tag>`.
    provider_name: item.endpoint.slice(item.endpoint.lastIndexOf('@') + 1).split('/')[0] ?? '',
    ...(item.workspaceId !== undefined && { workspace_id: item.workspaceId }),
    requests: item.requests,
    prompt_tokens: item.promptTokens,
    completion_tokens: item.completionTokens,
    reasoning_tokens: item.reasoningTokens,
    usage: item.costUsd,
    byok_usage_inference: item.byokUsd,
  }
}
