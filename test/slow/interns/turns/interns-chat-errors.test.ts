import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DecisionCollector } from '#interns/rules/decision-collector.ts'
import { startChatTurn } from '#interns/turns/chat-turn.ts'
import { openDb } from '#platform/db/open.ts'
import { addOrganization } from '../../../harness/database/organizations.ts'
import {
  daemonOf,
  type InternChatService,
  prompt,
  reply,
  scripted,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import { answer, type InternReply, runningIntern, say, trySay } from '../../../harness/interns/interns.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

/** A refusal before the stream, as the client receives it. */
async function refusalOf(
  reply: { status: number; headers: Headers; body?: any } & Partial<{ rest: () => Promise<any> }>,
) {
  const { error } = reply.body
  return {
    status: reply.status,
    ...error.metadata,
    code: error.code === reply.status,
    retry: reply.headers.get('x-should-retry'),
    after: reply.headers.has('retry-after'),
  }
}

const expected = (status: number, reason: string, retryable: boolean, after = false) => ({
  status,
  reason,
  retryable,
  code: true,
  retry: String(retryable),
  after,
})

// One test for each row of the specification's table of errors, before the stream.
describe('refusals of the chat route', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService({
      settings: { intern_open_questions: 2, intern_replay_bytes: 2048 },
    })
  })
  after(() => service[Symbol.asyncDispose]())

  const path = (id = service.id) => `/interns/${id}/chat/completions`
  const post = (body: object, { id = service.id, key = service.apiKey as string | null } = {}) =>
    service.ask('POST', path(id), { key, body: { stream: true, ...body } })
  const ask = (content: string, more: object = {}) =>
    post({ approval_mode: 'manual', messages: [{ role: 'user', content }], ...more })
  const tool = ({ sessionId, question }: InternReply, content: string) =>
    post({ session_id: sessionId, messages: [{ role: 'tool', tool_call_id: question?.id, content }] })

  test('400 bad_request: the request is not valid', async () => {
    assert.deepEqual(await refusalOf(await post({ messages: [] })), expected(400, 'bad_request', false))
  })

  test('400 bad_request: an option that was not offered, and the question stays open', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once')
    assert.deepEqual(await refusalOf(await tool(turn, 'allow_always')), expected(400, 'bad_request', false))
    assert.equal((await answer(service, service.id, turn, 'allow_once')).text, '[allow_once-0]')
  })

  test('401: no valid key; code and message only', async () => {
    for (const key of [null, 'nonsense', service.managementKey]) {
      const { status, body } = await post({ messages: [{ role: 'user', content: 'say hi' }] }, { key })
      assert.deepEqual([status, Object.keys(body.error)], [401, ['code', 'message']])
    }
  })

  test("404 not_found: no such intern, the same for another organization's", async () => {
    const other = await addOrganization(service.testStore)
    const messages = [{ role: 'user', content: 'say hi' }]
    const theirs = await post({ messages }, { key: other.apiKey })
    const none = await post({ messages }, { id: 'nobody' })
    assert.deepEqual(await refusalOf(none), expected(404, 'not_found', false))
    assert.equal(theirs.text, none.text)
  })

  test('404 interaction_unknown: no such question in this session', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once')
    const unknown = expected(404, 'interaction_unknown', false)
    assert.deepEqual(await refusalOf(await tool({ ...turn, sessionId: 'another' }, 'allow_once')), unknown)
    const elsewhere = { ...turn, question: { ...turn.question!, id: 'another' } }
    assert.deepEqual(await refusalOf(await tool(elsewhere, 'allow_once')), unknown)
    await answer(service, service.id, turn, 'cancel')
  })

  test('409 intern_not_ready: the intern is not running', async () => {
    const { body } = await service.ask('POST', '/interns', { body: { name: 'idle' } })
    const refused = await post({ messages: [{ role: 'user', content: 'hi' }] }, { id: body.id })
    assert.deepEqual(await refusalOf(refused), expected(409, 'intern_not_ready', true))
  })

  test('409 busy: another turn is running in this session', async () => {
    const stream = await prompt(service, 'say hi\nwait 500', { session_id: 'taken' })
    assert.deepEqual(await refusalOf(await ask('say hi', { session_id: 'taken' })), expected(409, 'busy', true, true))
    stream.leave()
    await say(service, service.id, 'permission shell allow_once', { session_id: 'asking' })
    const { body } = await ask('say hi', { session_id: 'asking' })
    assert.match(body.error.message, /^This session waits for the answer to a question\./)
  })

  test('409 interaction_not_pending: the run that asked has ended', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once')
    await daemonOf(service, service.id).cancel(turn.chunks[0].id.replace('chatcmpl-', ''))
    assert.deepEqual(await refusalOf(await tool(turn, 'allow_once')), expected(409, 'interaction_not_pending', false))
  })

  test('409 attachment_failed: another request has answered and is attached', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once\nwait 600000')
    const stream = await reply(service, turn, 'allow_once')
    assert.deepEqual(await refusalOf(await tool(turn, 'allow_once')), expected(409, 'attachment_failed', false))
    await daemonOf(service, service.id).cancel(turn.chunks[0].id.replace('chatcmpl-', ''))
    await stream.rest()
  })

  test('two answers at once: one resumes the run, the other is refused', async () => {
    const turn = await say(service, service.id, 'permission shell allow_once\nwait 200')
    const both = await Promise.all([tool(turn, 'allow_once'), tool(turn, 'allow_once')])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  })

  test('410 attachment_failed: the run wrote more than the intern retains', async () => {
    const turn = await say(service, service.id, 'talk 5000 permission shell allow_once')
    await new Promise((resolve) => setTimeout(resolve, 500))
    const lost = expected(410, 'attachment_failed', false)
    assert.deepEqual(await refusalOf(await tool(turn, 'allow_once')), lost)
    assert.equal((await say(service, service.id, 'say free', { session_id: turn.sessionId })).text, 'free')
  })

  test('502 turn_failed: the agent ends the turn with the stop reason refusal', async () => {
    assert.deepEqual(await refusalOf(await ask('decline')), expected(502, 'turn_failed', false))
    const { error, finish } = await trySay(service, service.id, 'say I begin.\ndecline')
    assert.deepEqual([error?.code, error?.metadata?.reason, finish], [502, 'turn_failed', 'error'])
    assert.match(error?.message ?? '', /stop reason "refusal"/)
  })

  test('a run can be cancelled as soon as its caller knows its id', async () => {
    for (let at = 0; at < 10; at++) {
      const { chunks } = await say(service, service.id, 'permission shell allow_once')
      const run = chunks[0].id.replace('chatcmpl-', '')
      const cancelled = await service.ask('POST', `/interns/${service.id}/runs/${run}/cancel`, { body: {} })
      assert.deepEqual([cancelled.status, cancelled.body], [200, { cancelled: true }])
      const over = await say(service, service.id, 'say over')
      const ended = `/interns/${service.id}/runs/${over.chunks[0].id.replace('chatcmpl-', '')}/cancel`
      assert.equal((await service.ask('POST', ended, { body: {} })).status, 409)
    }
  })

  test('413 payload_too_large: a body over 1 MiB', async () => {
    const refused = await ask('say hi', { padding: 'x'.repeat(1024 * 1024) })
    assert.deepEqual(await refusalOf(refused), expected(413, 'payload_too_large', false))
  })

  test('502 intern_rejected: the agent does not take the turn', async () => {
    // The program exists, and cannot be run.
    const command = join(mkdtempSync(join(tmpdir(), 'signalbox-agent-')), 'agent')
    writeFileSync(command, '#!/nonexistent/interpreter\n', { mode: 0o755 })
    const agents = { ...scripted.agents, absent: { command, args: [], env: {} } }
    await using other = await startTestService({ settings: { agents, intern_users_from: 0 } as object })
    const { id } = await runningIntern(other, { agent: 'absent' })
    const refused = await other.ask('POST', path(id), {
      body: { stream: true, messages: [{ role: 'user', content: 'hi' }] },
    })
    assert.deepEqual(await refusalOf(refused), expected(502, 'intern_rejected', false))
  })

  test('502 turn_failed: the intern refuses the turn before any output', async () => {
    assert.deepEqual(await refusalOf(await ask('refuse no key')), expected(502, 'turn_failed', false))
    assert.deepEqual(await refusalOf(await ask('overload try later')), expected(502, 'turn_failed', true))
  })

  test('502 stream_severed: its stream ends before the turn has started', async () => {
    assert.deepEqual(await refusalOf(await ask('crash')), expected(502, 'stream_severed', true))
  })

  test('503 busy: the intern cannot hold another run open across a question', async () => {
    const waiting = await Promise.all([1, 2].map(() => say(service, service.id, 'permission shell allow_once')))
    assert.deepEqual(await refusalOf(await ask('permission shell allow_once')), expected(503, 'busy', true, true))
    const turn = await trySay(service, service.id, 'say hi\npermission shell allow_once')
    assert.deepEqual([turn.status, turn.finish, turn.error?.code], [200, 'error', 503])
    assert.deepEqual(turn.error?.metadata, { reason: 'busy', retryable: true })
    for (const one of waiting) assert.equal((await answer(service, service.id, one, 'allow_once')).finish, 'stop')
  })

  test('504 timeout: the intern says nothing within the budget, and the run is cancelled', async () => {
    await using hasty = await startInternChatService({ settings: { intern_budget_ms: 700 } })
    const body = { stream: true, approval_mode: 'manual', messages: [{ role: 'user', content: 'wait 60000' }] }
    const response = await hasty.ask('POST', path(hasty.id), { body })
    assert.deepEqual(await refusalOf(response), expected(504, 'timeout', true))
    assert.equal((await daemonOf(hasty, hasty.id).health()).runs, 0)
  })

  test('504 timeout within the stream, and the run is cancelled', async () => {
    await using hasty = await startInternChatService({ settings: { intern_budget_ms: 4000 } })
    // On a busy machine, the start of the agent alone can take longer than that.
    await until(async () => (await trySay(hasty, hasty.id, 'say I am up')).status === 200)
    const turn = await trySay(hasty, hasty.id, 'say hi\nwait 60000')
    assert.deepEqual([turn.status, turn.text, turn.finish, turn.error?.code], [200, 'hi', 'error', 504])
    assert.deepEqual(turn.error?.metadata, { reason: 'timeout', retryable: true })
    await until(async () => (await daemonOf(hasty, hasty.id).health()).runs === 0)
  })

  test('a client that disconnects before the turn starts leaves nothing running', async () => {
    await abandon(service, { stream: true, messages: [{ role: 'user', content: 'wait 60000' }] })
    await until(async () => (await daemonOf(service, service.id).health()).runs === 0)
  })

  test('499 client_closed_request: is thrown without a client to read it', async () => {
    const db = await openDb(service.testStore.settings)
    const owner = await db.query
      .selectFrom('interns')
      .where('id', '=', service.id)
      .selectAll()
      .executeTakeFirstOrThrow()
    const caller = { workspaceId: owner.workspace_id, userId: owner.creator_user_id, organizationId: 'any' }
    const deps = {
      db,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      conceal: async (_caller: object, text: string) => text,
      runsOf: () => daemonOf(service, service.id),
      screen: async (_caller: object, prompt: string) => prompt,
      rates: { user: 10_000, organization: 10_000 },
      readMeteredUsage: async () => undefined,
      readSpending: async () => ({ usd: 0, isComplete: true }),
      decisions: new DecisionCollector({ db, now: Date.now, conceal: async (_intern, text) => text }),
      idleTimeoutMs: 60_000,
      hosts: { findLoss: async () => null },
      idleMs: 0,
    }
    const messages = [{ role: 'user' as const, content: 'wait 60000' }]
    const request = { stream: true as const, approval_mode: 'manual' as const, messages }
    const requestBody = { internId: service.id, request }
    const thrown = await startChatTurn(deps, caller as never, requestBody, AbortSignal.timeout(100)).catch((e) => e)
    await db.close()
    assert.deepEqual(
      [thrown.kind, thrown.details.metadata],
      ['client_closed_request', { reason: 'client_closed_request', retryable: false }],
    )
  })

  // This is the last test, because the intern does not exist afterwards.
  test('502 intern_unreachable: the intern cannot be reached', async () => {
    const door = join(service.testStore.settings.data_dir, 'interns', service.id, 'door')
    renameSync(door, join(dirname(door), 'moved'))
    assert.deepEqual(await refusalOf(await ask('say hi')), expected(502, 'intern_unreachable', true))
    renameSync(join(dirname(door), 'moved'), door)
  })
})

test('429 rate_limited: too many turns of a user, with the time to retry', async () => {
  const at = Math.floor(Date.now() / 60_000) * 60_000 + 50_000
  await using service = await startInternChatService({ settings: { turns_per_minute_user: 2 }, now: () => at })
  const turn = await say(service, service.id, 'permission shell allow_once')
  await say(service, service.id, 'say two')
  const messages = [{ role: 'user', content: 'say three' }]
  const refused = await service.ask('POST', `/interns/${service.id}/chat/completions`, {
    body: { stream: true, messages },
  })
  assert.deepEqual(await refusalOf(refused), expected(429, 'rate_limited', true, true))
  assert.equal(refused.headers.get('retry-after'), '10')
  assert.equal((await answer(service, service.id, turn, 'allow_once')).finish, 'stop')
})

test('429 rate_limited: too many turns of an organization', async () => {
  await using service = await startInternChatService({ settings: { turns_per_minute_organization: 1 } })
  const statuses = []
  for (let turn = 0; turn < 3; turn++) {
    const stream = await prompt(service, 'say hi')
    statuses.push(stream.status)
    await stream.rest()
  }
  assert.ok(statuses.includes(429))
})

/** Sends a request and hangs up before it is answered. */
async function abandon({ url, apiKey, id }: InternChatService, body: object): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const text = JSON.stringify(body)
  const head = [
    `POST ${pathname}/interns/${id}/chat/completions HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
  ]
  const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`))
  await new Promise((resolve) => setTimeout(resolve, 150))
  socket.destroy()
}
