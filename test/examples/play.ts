/** Sends the calls of `steps.ts` to a service, each with values of earlier answers. */
import { describeApi } from '#api/server/description.ts'
import { openDb } from '#platform/db/open.ts'
import { runningIntern } from '../harness/interns/interns.ts'
import { type Browser, openBrowser, originOf } from '../harness/service/browser-client.ts'
import { type Reply, startTestService, type TestService } from '../harness/service/service.ts'
import { startTokenIssuer, type TokenIssuer } from '../harness/service/sign-in/token-issuer.ts'
import { type Kept, steps } from './steps.ts'

/** One call with everything filled in. */
type Played = { operation: string; params: Record<string, string>; body: unknown; ask: Ask }
/** The same call with another body. */
type Ask = (body: unknown) => Promise<Reply>

type Described = { paths: Record<string, Record<string, { security: Record<string, []>[] }>> }

/** A service with the catalogue, credentials and issuer for the calls, at a host name, as passkeys require. */
export async function startForExamples(): Promise<TestService & { issuer: TokenIssuer }> {
  const issuer = await startTokenIssuer()
  const jwt = { jwt_issuer: issuer.url, jwt_audience: 'signalbox', jwt_members: { ci: 'owner@localhost' } }
  const variables = { OPENAI_API_KEY: 'sk-of-no-use' }
  const service = await startTestService({ settings: { host: 'localhost', ...jwt }, variables })
  return {
    ...service,
    issuer,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

/** Calls `then` with the answer of each call. @throws Error if a call is refused. */
export async function play(
  service: TestService & { issuer: TokenIssuer },
  then: (played: Played, reply: Reply) => void | Promise<void>,
): Promise<void> {
  const { paths } = describeApi() as Described
  const [owner] = (await service.manage('GET', '/organization/members')).body.data
  const [workspace] = (await service.manage('GET', '/workspaces')).body.data
  const stored: Kept = { user: owner.id, workspace: workspace.id, apiKey: service.apiKey, origin: originOf(service) }
  stored.assertion = await service.issuer.sign({ sub: 'ci' })
  let browser: Browser | undefined
  const from = (_: string, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? (stored[value.slice(1)] ?? value) : value
  for (const { operation, params: open = {}, query = '', body: template, bySession, bytes, keep, isEndless } of steps) {
    const [method = '', path = ''] = operation.split(' ')
    const { params, body } = JSON.parse(JSON.stringify({ params: open, body: template }), from)
    const filledQuery = query.replace(/\$(\w+)/, (_, name) => stored[name] ?? '')
    const target = path.replace(/\{(\w+)\}/g, (_, name) => params[name]) + filledQuery
    if (bySession) browser ??= await openBrowser(service, { key: service.managementKey })
    const isManagement = paths[path]?.[method]?.security.every((one) => !('api_key' in one)) ?? true
    const key = isManagement ? service.managementKey : service.apiKey
    const asking = bySession ? browser! : service
    const ask: Ask = (given) => asking.ask(method.toUpperCase(), target, { ...(!bySession && { key }), body: given })
    const url = service.url + target
    const reply = bytes ? await sent(url, key, bytes()) : isEndless ? await start(url, key) : await ask(body)
    if (reply.status > 299) throw new Error(`${operation}: ${reply.text}`)
    if (keep) Object.assign(stored, keep(reply.body, stored))
    if (operation === 'post /interns') {
      stored.host = (await runningIntern(service, { name: 'bob' })).hostname
      for (const [name, host] of [
        ['fay', 'desk-3'],
        ['gus', 'desk-4'],
        ['eve', 'desk-2'],
      ] as const)
        await losesItsHost(service, name, host)
    }
    await then({ operation, params, body, ask }, reply)
  }
}

async function sent(url: string, key: string, body: Buffer): Promise<Reply> {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}` },
    body: new Uint8Array(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
}

/** An intern on an unknown host. */
async function losesItsHost(service: TestService, name: string, hostname: string): Promise<void> {
  await service.ask('POST', '/interns', { body: { name } })
  const db = await openDb(service.testStore.settings)
  await db.query.updateTable('interns').set({ hostname }).where('name', '=', name).execute()
  await db.close()
}

/** The beginning of an answer that does not end. */
async function start(url: string, key: string): Promise<Reply> {
  const disconnect = new AbortController()
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(url, { headers, signal: disconnect.signal })
  disconnect.abort()
  return { status: response.status, headers: response.headers, body: undefined, text: '' }
}
