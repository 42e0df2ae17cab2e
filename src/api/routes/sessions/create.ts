import type { Caller } from '#identity/accounts/caller.ts'
import { requireRelyingParty } from '#identity/passkeys/relying-party.ts'
import { signInWithPasskey } from '#identity/passkeys/sign-in-with-passkey.ts'
import { type Browser, type NewSession, type SignInDeps, signInWithKey } from '#identity/sign-in/sign-in.ts'
import { signInWithLink } from '#identity/sign-in/sign-in-links.ts'
import { Fault } from '#platform/core/fault.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { requireWorkspaceMember } from '../../access/authorize.ts'
import { refuseOtherOrigins } from '../../access/same-origin.ts'
import { SignedChallenge } from '../passkeys/credentials.ts'
import { route } from '../route.ts'
import { toNewSessionResponse } from './new-session.ts'
import { Session } from './session.ts'

const secret = z.string().trim().min(1).max(200)

const NewSessionBody = z
  .union(
    [
      z.strictObject({ key: secret.describe('An API key or a management key.') }),
      z.strictObject({ link: secret.describe('The token after `#sign-in=` in a sign-in link.') }),
      z.strictObject({ passkey: SignedChallenge }),
    ],
    { error: 'the body must be an object with one of key, link and passkey' },
  )
  .meta({ id: 'NewSession' })

export const createSession = route({
  method: 'post',
  path: '/sessions',
  tag: 'sessions',
  key: 'none',
  summary: 'Create a browser session with a key, a sign-in link or a passkey',
  description:
    'Sets a session cookie for the member of the key, link or passkey. An earlier session of the browser is ended, and its cookie replaced.',
  request: { body: NewSessionBody },
  status: 201,
  response: z.object({ data: Session }),
  headers: { success: ['set-cookie'] },
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'rate_limited', 'unsupported_media_type'],
  handler: async ({ body, headers, raw }, deps) => {
    const { origin, address } = deps.connectionOf(raw)
    refuseOtherOrigins(headers, origin)
    const browser = { address, userAgent: raw.headers['user-agent'] ?? null }
    const newSession = await deps.signInAttempts.run(address, () =>
      signIn({ ...deps, lifetimes: deps.sessions.lifetimes }, body, { browser, origin }),
    )
    const { cookie, data } = await toNewSessionResponse(deps, newSession, raw, origin)
    return new HttpResponse(201, { 'set-cookie': cookie, 'cache-control': 'no-store' }, { data })
  },
})

type CreateDeps = SignInDeps & {
  keys: { find: (secret: string) => Promise<Caller | undefined> }
  config: Parameters<typeof requireRelyingParty>[0]
}

async function signIn(
  deps: CreateDeps,
  body: z.output<typeof NewSessionBody>,
  { browser, origin }: { browser: Browser; origin: string },
): Promise<NewSession> {
  if ('passkey' in body) {
    return signInWithPasskey(deps, body.passkey, requireRelyingParty(deps.config, origin), browser)
  }
  if ('link' in body) return signInWithLink(deps, body.link, browser)
  const caller = await deps.keys.find(body.key)
  if (!caller)
    throw new Fault('unauthenticated', 'This key cannot sign in: it is malformed, unknown, disabled or expired.')
  requireWorkspaceMember(caller)
  return signInWithKey(deps, caller, browser)
}
