import { findMember, resolveUserId } from '#identity/accounts/members/members.ts'
import { actsAsOwner } from '#identity/accounts/role.ts'
import { createLink } from '#identity/sign-in/sign-in-links.ts'
import { siteUrl } from '#platform/config/public-url.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { emailLink } from '../../pages/link-email.ts'
import { route } from '../route.ts'

const NewSignInLink = strictFields({
  user_id: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .describe('ID or email address of the member to sign in. Defaults to the member of the calling key.'),
}).meta({ id: 'NewSignInLink' })

export const createSignInLink = route({
  method: 'post',
  path: '/sessions/links',
  tag: 'sessions',
  key: 'management',
  scope: 'organization',
  summary: 'Create a sign-in link, valid once for 15 minutes',
  description:
    'The link is returned only once: only its hash is stored. The session has the role of the member. With a mail server (`smtp_url`), a link for another member is also sent to them by email.',
  request: { body: NewSignInLink },
  status: 201,
  response: z.object({
    data: z
      .object({
        token: z.string(),
        url: z.url(),
        expires_at: z.iso.datetime(),
        emailed: z.boolean().describe('Whether the link was sent to the member by email.'),
      })
      .meta({ id: 'SignInLink' }),
  }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'unsupported_media_type'],
  handler: async ({ body, caller, raw }, deps) => {
    const { db } = deps
    const userId = await resolveUserId(db.query, caller.organizationId, body.user_id ?? caller.userId)
    const member = userId === undefined ? undefined : await findMember(db.query, caller.organizationId, userId)
    if (!member) throw new Fault('invalid', 'Invalid request: user_id: member not found')
    if (member.role === 'owner' && !actsAsOwner(caller)) {
      throw new Fault('forbidden', 'Only an owner can create a sign-in link for an owner.')
    }
    const { token, expiresAt } = await createLink(deps, caller, member.userId)
    // With `public_url`, the Host header, which the client controls, does not decide the host of a link with a secret.
    const site = siteUrl(deps.config, deps.connectionOf(raw).origin)
    const url = `${site}/#sign-in=${token}`
    // At this address the console waits for a click: scanners of mail servers open the links of emails.
    const emailedUrl = `${site}/#emailed-sign-in=${token}`
    const emailed = member.userId !== caller.userId && (await emailLink(deps, member.email, emailedUrl))
    return { data: { token, url, expires_at: isoTime(expiresAt), emailed } }
  },
})
