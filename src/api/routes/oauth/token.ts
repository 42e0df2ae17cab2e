import { resolveUserId } from '#identity/accounts/members/members.ts'
import { findWorkspaceId } from '#identity/sign-in/session-workspace.ts'
import type { TokenOwner } from '#identity/tokens/token-owner.ts'
import { invalidTokenFault } from '#identity/tokens/token-verifier.ts'
import type { Tokens } from '#identity/tokens/tokens.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { text } from '#platform/json/text.ts'
import { route } from '../route.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const Id = text({ min: 1, max: 320 }).optional()

const TokenRequest = z
  .object({
    grant_type: z.literal(grantType),
    assertion: z.string().min(1).max(100_000).describe('A JSON Web Token of the issuer in the setting `jwt_issuer`.'),
    federation_rule_id: z.literal('default').optional().describe('The service has one rule: the settings `jwt_…`.'),
    organization_id: Id.describe('ID of the organization, or `default`.'),
    service_account_id: Id.describe('ID or email address of the member whom the assertion must name.'),
    workspace_id: Id.describe('ID or slug of the workspace that the assertion must give access to, or `default`.'),
  })
  .meta({ id: 'TokenRequest', description: 'A token request of RFC 7523. Fields that are not listed are ignored.' })

export const createToken = route({
  method: 'post',
  path: '/oauth/token',
  tag: 'keys',
  key: 'none',
  summary: 'Exchange a JSON Web Token of the issuer for an access token',
  description:
    'The grant `jwt-bearer` of RFC 7523, as `@anthropic-ai/sdk` requests it. The access token is the assertion itself, which is also accepted without this exchange, and expires with it. Needs the setting `jwt_issuer`.',
  request: { body: TokenRequest },
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().describe('In seconds.'),
  }),
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'rate_limited',
    'unsupported_media_type',
    'unavailable',
  ],
  handler: async ({ body, raw }, deps) => {
    const { tokens } = deps
    if (!tokens) throw new Fault('not_found', 'No tokens are accepted: the setting jwt_issuer is empty.')
    const { address } = deps.connectionOf(raw)
    const { expiresAt } = await deps.signInAttempts.run(address, () => verifyGrant({ ...deps, tokens }, body))
    const expires_in = Math.max(0, Math.floor((expiresAt - deps.now()) / 1000))
    const response = { access_token: body.assertion, token_type: 'Bearer', expires_in }
    return new HttpResponse(200, { 'cache-control': 'no-store' }, response)
  },
})

async function verifyGrant({ db, tokens }: { db: Db; tokens: Tokens }, body: z.output<typeof TokenRequest>) {
  const { owner, expiresAt } = await tokens.verify(body.assertion)
  await requireMatchingOwner(db, owner, body)
  return { expiresAt }
}

/** The access token has the same rights as the assertion. A request for other rights is refused, not ignored. */
async function requireMatchingOwner(db: Db, owner: TokenOwner, body: z.output<typeof TokenRequest>): Promise<void> {
  const { organization_id, service_account_id, workspace_id } = body
  const { organizationId, userId, workspaceId } = owner
  if (organization_id !== undefined && !['default', organizationId].includes(organization_id)) {
    throw invalidTokenFault('it is for another organization than organization_id')
  }
  if (
    service_account_id !== undefined &&
    (await resolveUserId(db.query, organizationId, service_account_id)) !== userId
  ) {
    throw invalidTokenFault('it names another member than service_account_id')
  }
  if (workspace_id === undefined || workspace_id === 'default') return
  if ((await findWorkspaceId(db.query, owner, workspace_id)) !== workspaceId) {
    throw invalidTokenFault('it is for another workspace than workspace_id')
  }
}
