import type { Caller } from '#identity/accounts/caller.ts'
import type { KeyRecord } from '#identity/accounts/keys/key.ts'
import { visibleCreatorId } from '#identity/accounts/keys/key-access.ts'
import { listExpiringKeys, listKeys, listKeysByHash } from '#identity/accounts/keys/keys.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import { Fault } from '#platform/core/fault.ts'
import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { type Page, PageQuery, pageOf, SearchText } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { keysByUsedLimit } from '#spend/ledger/spending/key-limits.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { route } from '../route.ts'
import { Key, toKeyResponses } from './key.ts'

const Hashes = z
  .string()
  .max(10_000)
  // The pattern is only for the API description: errors are reported for the items.
  .meta({ pattern: '^[^,]{1,128}(,[^,]{1,128}){0,99}$' })
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().min(1).max(128)).max(100))

const defaultLimit = 50

const Query = PageQuery.extend({
  limit: wholeNumber({ min: 1, max: 100 })
    .optional()
    .describe(`Maximum number of items, 1 to 100. Defaults to ${defaultLimit}; with \`hashes\`, to all of them.`),
  workspace_id: z
    .string()
    .optional()
    .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
  q: SearchText.describe(
    'Words that must all occur in the name or label of the key, or in the name or address of its member. Also accepts the complete hash.',
  ),
  hashes: Hashes.optional().describe(
    'Comma-separated hashes, at most 100. Returns only these keys, in this order, of all workspaces that the caller reaches, also disabled ones.',
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
      'Returns only the enabled keys with a limit, of all workspaces that the caller reaches. Keys whose limit is used up come first. The others are sorted by the share of the limit that they are expected to use.',
    ),
  include_disabled: booleanParameter('Whether to include disabled keys.').prefault('false'),
})
type KeysQuery = z.output<typeof Query>

export const listKeysRoute = route({
  method: 'get',
  path: '/keys',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer', 'viewer'],
  summary: 'List the keys of a workspace, newest first',
  description: 'Includes limits and spend. Secrets are returned only when keys are created.',
  request: { query: Query },
  response: pageOf(Key),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    refuseCombinations(query)
    const { data, total_count } = await selectKeys(deps, caller, query)
    return { data: await toKeyResponses(deps, caller, data), total_count }
  },
})

/**
 * Refuses parameters that would have no effect together: `hashes`, `expires_before` and `order` each select keys of all
 * workspaces, by their own conditions.
 * @throws Fault `invalid`.
 */
function refuseCombinations({ hashes, expires_before, order, q, workspace_id, include_disabled }: KeysQuery): void {
  const [selection, secondSelection] = namesOfPresent({ hashes, expires_before, order })
  if (selection === undefined) return
  // Keys with the given hashes are returned whether they are disabled or not.
  const disabledFilter = hashes === undefined && include_disabled ? { include_disabled } : {}
  const [filter] = namesOfPresent({ q, workspace_id, ...disabledFilter })
  const other = filter ?? secondSelection
  if (other !== undefined) throw new Fault('invalid', `Invalid request: ${selection}: cannot be combined with ${other}`)
}

/** Returns the names of the parameters that have a value. */
const namesOfPresent = (parameters: Record<string, unknown>) =>
  Object.keys(parameters).filter((name) => parameters[name] !== undefined)

async function selectKeys(deps: ApiDeps, caller: Caller, query: KeysQuery): Promise<Page<KeyRecord>> {
  const { hashes, expires_before: expiresBefore, order, workspace_id, offset, limit = defaultLimit } = query
  if (hashes !== undefined) {
    const found = await listKeysByHash(deps, caller, hashes)
    return { data: found.slice(offset, offset + (query.limit ?? found.length)), total_count: found.length }
  }
  if (expiresBefore !== undefined) {
    return listExpiringKeys(deps, caller, { expiresBefore: Date.parse(expiresBefore), offset, limit })
  }
  if (order !== undefined) {
    const scope = {
      organizationId: caller.organizationId,
      workspaceId: caller.isWorkspaceScoped ? caller.workspaceId : undefined,
      creatorUserId: visibleCreatorId(caller),
    }
    const page = await keysByUsedLimit(deps, scope, { offset, limit })
    return { data: await listKeysByHash(deps, caller, page.hashes), total_count: page.total }
  }
  return listKeys(deps, await resolveWorkspaceId(deps, caller, workspace_id), { ...query, limit }, caller)
}
