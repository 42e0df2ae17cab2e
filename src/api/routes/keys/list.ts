import { visibleCreatorId } from '#identity/accounts/keys/key-access.ts'
import { listExpiringKeys, listKeys, listKeysByHash } from '#identity/accounts/keys/keys.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import { Fault } from '#platform/core/fault.ts'
import { PageQuery, pageOf, SearchText } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { keysByUsedLimit } from '#spend/ledger/spending/key-limits.ts'
import { route } from '../route.ts'
import { Key, keyAnswers } from './key.ts'

const Hashes = z
  .string()
  .max(10_000)
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().min(1).max(128)).max(100))

export const listKeysRoute = route({
  method: 'get',
  path: '/keys',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer', 'viewer'],
  summary: 'List the keys of a workspace, newest first',
  description: 'Includes limits and spend. Secrets are returned only when keys are created.',
  request: {
    query: PageQuery.extend({
      workspace_id: z
        .string()
        .optional()
        .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
      q: SearchText.describe(
        'Words that must all occur in the name or label of the key, or in the name or address of its member; or the complete hash.',
      ),
      hashes: Hashes.optional().describe(
        'Comma-separated hashes, at most 100. Returns only these keys, of all workspaces that the caller reaches, also disabled ones.',
      ),
      expires_before: z.iso
        .datetime({ offset: true })
        .optional()
        .describe(
          'Returns only the enabled keys that expire before this time and have not expired, of all workspaces that the caller reaches, soonest first.',
        ),
      order: z
        .literal('limit_used')
        .optional()
        .describe(
          'Returns only the enabled keys with a limit, of all workspaces that the caller reaches: exhausted ones first, then by the share of the limit that they are expected to use. `offset` is ignored.',
        ),
      include_disabled: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to include disabled keys.')
        .transform((word) => word === 'true'),
    }),
  },
  response: pageOf(Key),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    refuseCombinations(query)
    if (query.hashes !== undefined) {
      const found = await listKeysByHash(deps, caller, query.hashes)
      return { data: await keyAnswers(deps, caller, found), total_count: found.length }
    }
    if (query.expires_before !== undefined) {
      const range = { before: Date.parse(query.expires_before), offset: query.offset, limit: query.limit }
      const { data, total_count } = await listExpiringKeys(deps, caller, range)
      return { data: await keyAnswers(deps, caller, data), total_count }
    }
    if (query.order !== undefined) {
      const scope = {
        organizationId: caller.organizationId,
        workspaceId: caller.isWorkspaceScoped ? caller.workspaceId : undefined,
        creatorUserId: visibleCreatorId(caller),
      }
      const { hashes, total } = await keysByUsedLimit(deps, scope, query.limit)
      const found = new Map((await listKeysByHash(deps, caller, hashes)).map((key) => [key.hash, key]))
      const keys = hashes.flatMap((hash) => found.get(hash) ?? [])
      return { data: await keyAnswers(deps, caller, keys), total_count: total }
    }
    const workspaceId = await resolveWorkspaceId(deps, caller, query.workspace_id)
    const { data, total_count } = await listKeys(deps, workspaceId, query, caller)
    return { data: await keyAnswers(deps, caller, data), total_count }
  },
})

/** These lists contain keys of all workspaces, and have their own conditions. */
const listParameters = ['hashes', 'expires_before', 'order'] as const
const conditions = ['q', 'workspace_id', ...listParameters] as const

/** @throws Fault `invalid` for parameters that would have no effect together. */
function refuseCombinations(query: Partial<Record<(typeof conditions)[number], unknown>>): void {
  const chosen = listParameters.find((name) => query[name] !== undefined)
  const other = conditions.find((name) => name !== chosen && query[name] !== undefined)
  if (chosen === undefined || other === undefined) return
  throw new Fault('invalid', `Invalid request: ${chosen}: cannot be combined with ${other}`)
}
