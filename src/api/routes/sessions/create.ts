import { signInWithLink } from '#identity/sign-in/links.ts'
import { type Browser, type NewSession, type SignInDeps, signInWithKey } from '#identity/sign-in/sign-in.ts'
import { Fault } from '#platform/core/fault.ts'
import { HttpAnswer } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { refuseOtherOrigins } from '../../access/own-page.ts'
import { route } from '../route.ts'
import { newSessionAnswer } from './new-session.ts'
import { Session } from './session.ts'

const secret = z.string().trim().min(1).max(200)

const NewSessionBody = z
  .union([
    z.strictObject({ key: secret.describe('An API key or a management key.') }),
    z.strictObject({ link: secret.describe('The token after `#sign-in=` in a sign-in link.') }),
  ])
  .meta({ id: 'NewSession' })

export const createSession = route({
  method: 'post',
  path: '/sessions',
  tag: 'sessions',
  key: 'none',
  summary: 'Create a browser session with a key or a sign-in link',
  description:
    'Sets a session cookie for the member of the key or link. An earlier session of the browser is ended, and its cookie replaced.',
  request: { body: NewSessionBody },
  status: 201,
  response: z.object({ data: Session }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'rate_limited', 'unsupported_media_type'],
  handler: async ({ body, headers, raw }, deps) => {
    const { origin, address } = deps.connectionOf(raw)
    refuseOtherOrigins(headers, origin)
    const browser = { address, userAgent: (headers['user-agent'] as string | undefined) ?? null }
    const started = await deps.attempts.run(address, () =>
      signIn({ ...deps, times: deps.sessions.times }, body, browser),
    )
    const { cookies, data } = await newSessionAnswer(deps, started, raw, origin)
    return new HttpAnswer(201, { 'set-cookie': cookies, 'cache-control': 'no-store' }, { data })
  },
})

type Keys = { keys: { find: (secret: string) => Promise<Parameters<typeof signInWithKey>[1] | undefined> } }

async function signIn(
  deps: SignInDeps & Keys,
  proof: z.output<typeof NewSessionBody>,
  browser: Browser,
): Promise<NewSession> {
  if ('link' in proof) return signInWithLink(deps, proof.link, browser)
  const caller = await deps.keys.find(proof.key.trim())
  if (caller) return signInWithKey(deps, caller, browser)
  throw new Fault('unauthenticated', 'This key does not sign in: it is malformed, unknown, disabled or expired.')
}
