import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { startBalancer } from '../../../cluster/balancer.ts'
import { createFilesClient } from '../../../harness/interns/intern-files.ts'
import { askAt, type HostedServer, startInternHosts } from '../../../harness/interns/intern-hosts.ts'
import {
  answer,
  daemonPid,
  isRunning,
  runningIntern,
  say,
  trySay,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { until } from '../../../harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'
/** `npm run test:interns-anywhere` runs ten thousand. */
const turns = Number(process.env.INTERN_TURNS ?? 300)

const request = { agent: 'scripted' }
const waitUntilGone = (server: HostedServer, id: string) =>
  until(async () => {
    const { host } = (await server.ask('GET', `/interns/${id}`)).body
    return host?.state === 'gone' && host
  })

test('three servers behind a balancer serve the interns of three hosts', { skip }, async () => {
  await using hosts = await startInternHosts()
  const servers = await Promise.all(['a', 'b', 'c'].map((name) => hosts.start(name)))
  const port = 20_000 + Math.floor(Math.random() * 900)
  await using _ = await startBalancer(
    '127.0.0.1',
    port,
    servers.map(({ url }) => new URL(url).host),
  )
  const balanced = { ask: askAt(`http://127.0.0.1:${port}/api/v1`) }
  const interns: Awaited<ReturnType<typeof runningIntern>>[] = []
  for (const name of ['i1', 'i2', 'i3', 'i4', 'i5', 'i6'])
    interns.push(await runningIntern(balanced, { name, ...request }))
  assert.deepEqual(
    Object.entries(Object.groupBy(interns, ({ host }) => host.name))
      .map(([name, there]) => [name, there!.length])
      .sort(),
    [
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ],
  )

  const reasons = new Map<string, number>()
  let remaining = turns
  const talk = async () => {
    while (remaining > 0) {
      const intern = interns[remaining-- % interns.length]!
      const turn = await trySay(balanced, intern.id, 'say hello', { approval_mode: 'self-drive' })
      const reason = turn.error?.metadata?.reason ?? (turn.text === 'hello' ? 'said' : turn.text)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 8 }, talk))
  assert.deepEqual([...reasons], [['said', turns]])

  for (const { id } of interns)
    for (const [at, server] of servers.entries()) {
      const question = await say(server, id, 'permission shell allow_once\nsay done')
      const next = servers[(at + 1) % servers.length]!
      const whole = await next.ask('GET', `/interns/${id}/questions/${question.question!.id}`)
      assert.equal(whole.status, 200, whole.text)
      assert.match((await answer(next, id, question, 'allow_once')).text, /done/)
      const { body } = await servers[(at + 2) % servers.length]!.ask(
        'GET',
        `/interns/${id}/sessions/${question.sessionId}`,
      )
      assert.ok(body.data.entries.some((entry: { type: string }) => entry.type === 'question'))
    }
})

test('an intern is stopped, started and deleted through a server of another host', { skip }, async () => {
  await using hosts = await startInternHosts()
  const home = await hosts.start('a')
  const { id, host } = await runningIntern(home, request)
  assert.deepEqual(host, { name: 'a', state: 'up', reason: null, since: null })
  const other = await hosts.start('b')
  const pid = daemonPid(home.dataDir, id)
  assert.deepEqual((await other.ask('POST', `/interns/${id}/suspend`)).body, { suspended: true })
  assert.equal(isRunning(pid), false)
  await other.ask('POST', `/interns/${id}/provision`)
  assert.equal((await untilIntern(other, id, 'running')).hostname, 'a')
  assert.equal((await say(other, id, 'say again')).text, 'again')
  assert.equal((await other.ask('DELETE', `/interns/${id}`)).status, 202)
  await until(async () => (await other.ask('GET', `/interns/${id}`)).status === 404)
  assert.equal(existsSync(join(home.dataDir, 'interns', id)), false)
})

test('files of a stopped intern are served through another host without waking it', {
  skip,
}, async () => {
  await using hosts = await startInternHosts({ INTERN_IDLE_MS: '1000' })
  const home = await hosts.start('a')
  const { id } = await runningIntern(home, request)
  const other = await hosts.start('b', { INTERNS: 'off' })
  const { sessionId } = await say(other, id, 'say hello')
  const files = createFilesClient({ url: other.url, apiKey: hosts.apiKey }, id)
  const record = async () => {
    const { status, asleep_since } = (await other.ask('GET', `/interns/${id}`)).body
    return { status, asleep_since }
  }
  const large = Buffer.alloc(3_000_000, 'signalbox ')
  for (const end of [() => until(async () => (await record()).asleep_since), () => suspend(other, id)]) {
    await end()
    const before = await record()
    const created = await files('PUT', 'content', { path: `${before.status}.txt` }, { body: large })
    assert.deepEqual([created.status, created.body?.data?.size], [200, large.length], created.bytes.toString())
    const read = await files('GET', 'content', { path: `${before.status}.txt` })
    assert.ok(read.bytes.equals(large))
    const none = await files('GET', 'content', { path: 'no-such-file' })
    assert.deepEqual([none.status, /no-such-file/.test(none.body.error.message)], [404, true])
    assert.equal((await files('GET', 'archive')).status, 200)
    const { body } = await other.ask('GET', `/interns/${id}/sessions/${sessionId}`)
    assert.ok(body.data.entries.some(({ text }: { text?: string }) => text === 'hello'))
    assert.deepEqual(await record(), before)
  }
  await other.ask('POST', `/interns/${id}/provision`)
  await untilIntern(other, id, 'running')
  const { body } = await files('GET', '')
  assert.deepEqual(body.data.map(({ name }: { name: string }) => name).sort(), ['running.txt', 'stopped.txt'])
})

test('the log of an intern is readable through another host, also when stopped', { skip }, async () => {
  await using hosts = await startInternHosts()
  const home = await hosts.start('a')
  const { id } = await runningIntern(home, request)
  const other = await hosts.start('b', { INTERNS: 'off' })
  const log = async () => (await other.ask('GET', `/interns/${id}/log?lines=2`)).body.data
  const file = join(home.dataDir, 'interns', id, 'daemon.log')
  appendFileSync(file, `one\ntwo\n\u00e4 ${hosts.apiKey}\n`)
  const result = { lines: ['two', '\u00e4 [secret]'], has_more: true, message: null }
  assert.deepEqual(await log(), result)
  await suspend(other, id)
  assert.deepEqual(await log(), result)
  const { body } = await home.ask('POST', '/interns', { body: { name: 'eve', provision: false } })
  assert.match((await other.ask('GET', `/interns/${body.id}/log`)).body.data.message, /not been started yet/)
  const mute = await hosts.start('mute', { INTERN_ADDRESS: '', INTERN_LABELS: 'mute' })
  const unheard = await runningIntern(mute, { ...request, name: 'unheard', host_labels: ['mute'] })
  const refused = await other.ask('GET', `/interns/${unheard.id}/log`)
  assert.deepEqual(
    [refused.status, /log is on the host mute: send the request to a server of that host/.test(refused.text)],
    [502, true],
  )
})

test('files of a stopped intern are unreachable if its host is', {
  skip,
}, async () => {
  await using hosts = await startInternHosts()
  const mute = await hosts.start('mute', { INTERN_ADDRESS: '' })
  const { id } = await runningIntern(mute, request)
  await suspend(mute, id)
  const other = await hosts.start('other', { INTERNS: 'off' })
  const refused = await other.ask('GET', `/interns/${id}/files`)
  const why =
    /The intern is stopped, and its files are on the host mute: start it, or send the request to a server of that host/
  assert.deepEqual([refused.status, why.test(refused.text)], [502, true], refused.text)
  mute.process.signal('SIGKILL')
  await waitUntilGone(other, id)
  const lost = await other.ask('GET', `/interns/${id}/files`)
  assert.deepEqual([lost.status, /The host mute does not respond/.test(lost.text)], [503, true], lost.text)
})

const suspend = async (server: HostedServer, id: string) =>
  assert.deepEqual((await server.ask('POST', `/interns/${id}/suspend`)).body, { suspended: true })

test('a new intern gets a matching host with capacity, or waits with a reason', {
  skip,
}, async () => {
  await using hosts = await startInternHosts()
  const off = await hosts.start('no-host', { INTERNS: 'off' })
  const { body } = await off.ask('POST', '/interns', { body: { name: 'first', provision: true, ...request } })
  const waits = (id: string, why: RegExp) =>
    until(async () => {
      const { status, last_failure_message } = (await off.ask('GET', `/interns/${id}`)).body
      return status === 'queued' && why.test(last_failure_message)
    })
  await waits(body.id, /^No host for interns is available\.$/)
  const [plain] = await Promise.all([
    hosts.start('plain', { INTERN_CAPACITY: '1' }),
    hosts.start('fast', { INTERN_CAPACITY: '1', INTERN_LABELS: 'gpu, region=eu' }),
  ])
  const one = await untilIntern(off, body.id, 'running')
  const other = one.hostname === 'plain' ? 'fast' : 'plain'
  assert.equal((await runningIntern(off, { name: 'second', ...request })).hostname, other)
  const full = await off.ask('POST', '/interns', {
    body: { name: 'third', provision: true, host_labels: ['gpu'], ...request },
  })
  await waits(full.body.id, /^No host has capacity for another intern: fast has 1 of 1\.$/)
  const odd = await off.ask('POST', '/interns', {
    body: { name: 'odd', provision: true, host_labels: ['moon'], ...request },
  })
  await waits(odd.body.id, /^No available host has all labels moon\.$/)
  const onFast = other === 'fast' ? 'second' : 'first'
  await plain.ask('POST', `/interns/${onFast}/suspend`)
  assert.equal((await untilIntern(off, full.body.id, 'running')).hostname, 'fast')
})

test('a host whose server was killed is reported with reason and time, and its return', {
  skip,
}, async () => {
  await using hosts = await startInternHosts({ KEEP_INTERNS_RUNNING: 'true' })
  const lost = await hosts.start('lost')
  const { id } = await runningIntern(lost, request)
  const other = await hosts.start('other')
  const { sessionId } = await say(other, id, 'say hello')
  const pid = daemonPid(lost.dataDir, id)
  const certificate = await certificateOf(lost, id)
  lost.process.signal('SIGKILL')
  await lost.process.ended
  const killedAt = Date.now()
  const { reason, since } = await waitUntilGone(other, id)
  assert.equal(reason, 'The host lost does not respond.')
  assert.ok(Date.now() - Date.parse(since) < 10_000 || Date.now() - killedAt > 10_000, since)
  const refused = await other.ask('POST', `/interns/${id}/chat/completions`, {
    body: { stream: true, messages: [{ role: 'user', content: 'say hi' }] },
  })
  assert.deepEqual(
    [refused.status, refused.body.error.metadata],
    [503, { reason: 'intern_unreachable', retryable: true }],
  )
  assert.match(refused.body.error.message, /^The host lost does not respond \(since \d{4}-.*Z\)\.$/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const transcript = await other.ask('GET', `/interns/${id}/sessions/${sessionId}`)
  assert.deepEqual([transcript.status, /The host lost does not respond/.test(transcript.text)], [503, true])
  assert.equal((await other.ask('GET', '/interns')).body.data[0].host.state, 'gone')
  await hosts.start('lost')
  await until(async () => (await other.ask('GET', `/interns/${id}`)).body.host.state === 'up')
  assert.equal((await say(other, id, 'say back', { session_id: sessionId })).text, 'back')
  assert.equal(daemonPid(lost.dataDir, id), pid, 'nobody started it again')
  // A server that takes an intern over renews the certificate of its daemon.
  await until(async () => (await certificateOf(lost, id)) !== certificate)
})

test('an intern of a lost host is given up on demand, and ends when it returns', {
  skip,
}, async () => {
  await using hosts = await startInternHosts()
  const lost = await hosts.start('lost')
  const { id } = await runningIntern(lost, request)
  const other = await hosts.start('other')
  const early = await other.ask('POST', `/interns/${id}/give-up`)
  assert.deepEqual([early.status, /its host lost is available/.test(early.text)], [409, true])
  const pid = daemonPid(lost.dataDir, id)
  lost.process.signal('SIGKILL')
  await waitUntilGone(other, id)
  const { body: given } = await other.ask('POST', `/interns/${id}/give-up`)
  assert.deepEqual([given.status, given.hostname, given.host], ['stopped', null, null])
  assert.match(given.last_failure_message, /^Its files were given up: The host lost does not respond/)
  await other.ask('POST', `/interns/${id}/provision`)
  assert.equal((await untilIntern(other, id, 'running')).hostname, 'other')
  assert.ok(isRunning(pid), 'the test needs one that runs on')
  await hosts.start('lost')
  await until(() => !isRunning(pid))
  assert.equal((await say(other, id, 'say hello')).text, 'hello')
  const { body: auditEvents } = await other.ask('GET', '/audit?limit=50', { key: hosts.managementKey })
  const event = auditEvents.data.find(({ action }: { action: string }) => action === 'intern.given_up')
  assert.deepEqual([event.before.hostname, event.after.hostname], ['lost', null])
})

test('an intern whose files are on another host is moved there with its sessions', { skip }, async () => {
  await using hosts = await startInternHosts()
  const lost = await hosts.start('lost')
  const { id } = await runningIntern(lost, request)
  const { sessionId } = await say(lost, id, 'say hello')
  const other = await hosts.start('other')
  const early = await other.ask('POST', `/interns/${id}/move`, { body: { host: 'other' } })
  assert.deepEqual([early.status, /Suspend it first/.test(early.text)], [409, true])
  lost.process.signal('SIGKILL')
  await waitUntilGone(other, id)
  const nowhere = await other.ask('POST', `/interns/${id}/move`, { body: { host: 'nowhere' } })
  assert.deepEqual([nowhere.status, /nowhere is not available; available hosts: other/.test(nowhere.text)], [400, true])
  const { body: moved } = await other.ask('POST', `/interns/${id}/move`, { body: { host: 'other' } })
  assert.deepEqual([moved.status, moved.hostname], ['queued', 'other'])
  const failed = await untilIntern(other, id, 'failed')
  assert.match(failed.last_failure_message, /its files are missing: copy its folder to .*other\/interns\//)
  process.kill(daemonPid(lost.dataDir, id), 'SIGKILL')
  cpSync(join(lost.dataDir, 'interns', id), join(other.dataDir, 'interns', id), { recursive: true })
  await other.ask('POST', `/interns/${id}/provision`)
  await untilIntern(other, id, 'running')
  const { body } = await other.ask('GET', `/interns/${id}/sessions/${sessionId}`)
  assert.ok(body.data.entries.some(({ text }: { text?: string }) => text === 'hello'))
  assert.equal((await say(other, id, 'say on', { session_id: sessionId })).text, 'on')
})

test('a server on another host without an address reports it', { skip }, async () => {
  await using hosts = await startInternHosts({ INTERN_ADDRESS: '' })
  const { id } = await runningIntern(await hosts.start('a'), request)
  const turn = await trySay(await hosts.start('b'), id, 'say hi')
  assert.deepEqual([turn.status, turn.error?.metadata?.reason], [502, 'intern_unreachable'])
  assert.match(
    turn.error!.message,
    /is on the host a, where servers on other hosts cannot reach it: its server has no INTERN_ADDRESS/,
  )
})

/** The serial number of the certificate that an intern's daemon presents. */
async function certificateOf({ dataDir }: HostedServer, id: string): Promise<string> {
  const { port } = JSON.parse(readFileSync(join(dataDir, 'interns', id, 'daemon.json'), 'utf8'))
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.on('error', () => {}).destroy()
  return serialNumber
}
