import type { Caller } from '#identity/accounts/caller.ts'
import type { PasskeyRow, PasskeyScope } from '#identity/passkeys/passkey-rows.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { text } from '#platform/json/text.ts'

export const PasskeyName = text({ min: 1, max: 100 }).describe('The name of the passkey, such as the device it is on.')

export const PasskeyParams = z.object({ id: z.string().min(1).max(100) })

export const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    user_id: z.string(),
    relying_party: z.string().describe('The host name at which it signs in.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe('The last sign-in; null before the first.'),
  })
  .meta({ id: 'Passkey', description: 'A passkey of a member. Its private key never leaves the authenticator.' })

export function toPasskeyResponse(row: PasskeyRow): z.infer<typeof Passkey> {
  const { id, name, user_id, relying_party, created_at, last_used_at } = row
  const times = { created_at: isoTime(created_at), last_used_at: last_used_at === null ? null : isoTime(last_used_at) }
  return { id, name, user_id, relying_party, ...times }
}

/**
 * The passkeys that a caller can see and delete. Owners, admins and management keys see those of all members; other
 * members see their own.
 * @throws Fault `forbidden` for API keys, because programs use them too.
 */
export function passkeyScope(caller: Caller): PasskeyScope {
  refuseApiKey(caller)
  const { userId, organizationId, access } = caller
  return seesOnlyOwn(access) ? { organizationId, userId } : { organizationId }
}

const seesOnlyOwn = (access: Caller['access']) => access === 'developer' || access === 'viewer'

/** @throws Fault `forbidden` for an API key, sent or pasted into a browser. */
function refuseApiKey({ keyKind, access }: Caller): void {
  if (keyKind === 'management' || seesOnlyOwn(access)) return
  throw new Fault('forbidden', 'API keys cannot access passkeys. Sign in with a link, or use a management key.')
}

/** @throws Fault `forbidden` for callers without a browser session of a member. */
export function requireMemberSession(caller: Caller): void {
  refuseApiKey(caller)
  if (caller.sessionId !== undefined) return
  throw new Fault(
    'forbidden',
    'Passkeys can only be added in a browser: sign in to the console, for example with a link.',
  )
}
