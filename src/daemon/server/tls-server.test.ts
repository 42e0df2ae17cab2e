import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectPlainly, createServer, type Server } from 'node:net'
import { test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { connectRuns } from '#interns/remote/connect-runs.ts'
import type { DaemonTls } from '#interns/remote/tls-connection.ts'
import { createTurnClient, refusalOf, startTestDaemon, token } from '#test/harness/interns/daemon.ts'
import { certificateFiles, createTestCa, daemonTls } from '#test/harness/service/certificates.ts'
import { until } from '#test/harness/until.ts'

const host = '127.0.0.1'
const name = 'ada.interns.internal'

/** A daemon that listens on TCP, with its CA, and a server that is allowed to connect. */
async function startBehindTcp(limits: { certificateCheckMs?: number } = {}) {
  const ca = await createTestCa()
  const files = certificateFiles(ca.certificate, await ca.issue({ name, as: 'server' }))
  const daemon = await startTestDaemon({ listen: { host, port: 0, tls: files.tls }, limits })
  const server = await ca.issue({ name: 'server', as: 'client' })
  const reach = (tls: DaemonTls, key = token) => connectRuns({ host, port: daemon.port!, tls, token: key })
  return {
    ca,
    files,
    daemon,
    server,
    reach,
    trusted: daemonTls(name, ca.certificate, server),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      files[Symbol.dispose]()
    },
  }
}

test('a server on another host reaches an intern like a local one', async () => {
  await using at = await startBehindTcp()
  const { say, answer, listen, runs } = createTurnClient(at.reach(at.trusted))
  assert.equal((await say('say hello')).text, 'hello')
  const turn = await say('permission shell allow_once\nsay done')
  assert.equal(
    (await runs.question(turn.question!.id))?.detail,
    turn.question && (await at.daemon.runs.question(turn.question.id))?.detail,
  )
  assert.match((await answer(turn, 'allow_once')).text, /done/)
  const { received, finished } = await listen('say hi\nwait 60000')
  await at.daemon.stop()
  await finished
  assert.equal(received.at(-1)?.type, 'run.ended')
})

test('clients without a valid server certificate are refused before the token check', async () => {
  await using at = await startBehindTcp()
  const { ca } = at
  const other = await createTestCa('Another CA')
  const old = await ca.issue({ name: 'server', as: 'client' }, Date.now() - 60_000)
  const intern = await ca.issue({ name: 'eve.interns.internal', as: 'server' })
  for (const [what, clientCertificate] of [
    ['none', undefined],
    ['of another CA', await other.issue({ name: 'server', as: 'client' })],
    ['an expired one', old],
    ['that of an intern', intern],
  ] as const) {
    const refusal = await refusalOf(at.reach(daemonTls(name, ca.certificate, clientCertificate)).health())
    assert.match(refusal?.reason ?? 'let in', /^(intern_unreachable|stream_severed)$/, what)
  }
  assert.equal((await at.reach(at.trusted).health()).runs, 0)
})

test('a token of another intern is refused though the certificate is right', async () => {
  await using at = await startBehindTcp()
  const refusal = await refusalOf(at.reach(at.trusted, 'a-token-of-another-intern').health())
  assert.deepEqual([refusal?.reason, /Wrong token/.test(refusal?.message ?? '')], ['intern_rejected', true])
})

test('a server sends nothing to another process at the address of the intern', async () => {
  await using at = await startBehindTcp()
  const { ca, server } = at
  const another = await createTestCa('Another CA')
  for (const tls of [
    daemonTls('bob.interns.internal', ca.certificate, server),
    daemonTls(name, another.certificate, server),
  ]) {
    const refusal = await refusalOf(
      at.reach(tls).start({ prompt: 'say a private word', mode: 'manual' }, AbortSignal.timeout(60_000)),
    )
    assert.equal(refusal?.reason, 'intern_unreachable')
  }
  assert.deepEqual(await at.daemon.runs.transcripts.list({ limit: 10 }), { sessions: [], hasMore: false })
})

test('the listener speaks TLS 1.3 alone, and nothing without', async () => {
  await using at = await startBehindTcp()
  const text = await new Promise<string>((resolve) => {
    const socket = connectPlainly(at.daemon.port!, host, () =>
      socket.write(`GET /v1/health HTTP/1.1\r\nauthorization: Bearer ${token}\r\n\r\n`),
    )
    let text = ''
    socket
      .on('data', (bytes) => (text += bytes))
      .on('error', () => {})
      .on('close', () => resolve(text))
  })
  assert.doesNotMatch(text, /HTTP|contract/)
  const credentials = { cert: at.server.certificate, key: at.server.key, ca: at.ca.certificate }
  const older = await new Promise<Error | TLSSocket>((resolve) => {
    const socket = connect(
      { host, port: at.daemon.port!, servername: name, maxVersion: 'TLSv1.2', ...credentials },
      () => resolve(socket),
    )
    socket.on('error', resolve)
  })
  assert.ok(older instanceof Error)
})

test('repeated unauthenticated connections do not fill the log', async () => {
  await using at = await startBehindTcp()
  const closed = Array.from({ length: 100 }, () => {
    const socket = connectPlainly(at.daemon.port!, host, () => socket.end('nonsense')).on('error', () => {})
    return new Promise((resolve) => socket.resume().once('close', resolve))
  })
  await Promise.all(closed)
  await until(() => at.daemon.logged.some(({ event }) => event === 'listener.refused'))
  assert.ok(at.daemon.logged.filter(({ event }) => event === 'listener.refused').length < 50)
})

test('a new certificate and CA are used without a restart, during a turn', async () => {
  await using at = await startBehindTcp({ certificateCheckMs: 20 })
  const { received, finished } = await createTurnClient(at.reach(at.trusted)).listen('say one\nwait 60000')
  const next = await createTestCa('The next CA')
  // An incomplete file has no effect.
  writeFileSync(at.files.tls.certificate, '-----BEGIN CERT')
  await until(() => at.daemon.logged.some(({ event }) => event === 'certificates.not_renewed'))
  assert.equal((await at.reach(at.trusted).health()).runs, 1)
  at.files.write(await next.issue({ name, as: 'server' }), next.certificate)
  const tls = daemonTls(name, next.certificate, await next.issue({ name: 'server', as: 'client' }))
  await until(() =>
    at
      .reach(tls)
      .health()
      .then(
        () => true,
        () => false,
      ),
  )
  assert.ok(await refusalOf(at.reach(at.trusted).health()))
  assert.ok(received.some((event) => event.type === 'text.added'))
  await at.daemon.stop()
  await finished
})

test('a prewarmed connection is used by the next call only, and closed if unused', {
  timeout: 120_000,
}, async () => {
  await using at = await startBehindTcp()
  const opened: Promise<void>[] = []
  /** A proxy between both sides that sees the names of both. */
  const relay = createServer((near) => {
    const far = connectPlainly(at.daemon.port!, host)
    near.on('error', () => {}).pipe(far)
    far.on('error', () => {}).pipe(near)
    far.once('close', () => near.destroy())
    opened.push(new Promise((resolve) => near.once('close', () => resolve(void far.destroy()))))
  })
  await new Promise<void>((resolve) => relay.listen(0, host, resolve))
  const { port } = relay.address() as AddressInfo
  const runs = connectRuns({ host, port, tls: at.trusted, token })
  runs.prewarm!()
  await until(() => opened.length === 1)
  await runs.health()
  assert.equal(opened.length, 1)
  await runs.health()
  assert.equal(opened.length, 2)
  const leave = runs.prewarm!()
  await until(() => opened.length === 3)
  leave()
  await opened[2]
  const { reason } = (await refusalOf(goneMeanwhile(runs, relay)))!
  assert.equal(reason, 'intern_unreachable')
})

/** Sends a request on a connection that was not established. */
async function goneMeanwhile(runs: ReturnType<typeof connectRuns>, relay: Server): Promise<unknown> {
  await new Promise((resolve) => relay.close(resolve))
  const leave = runs.prewarm!()
  await new Promise((resolve) => setTimeout(resolve, 100))
  return runs.health().finally(leave)
}

/** The timers of the kernel at each end of the connections to a port; `02` is a keep-alive probe. */
const timersOf = (port: number) =>
  ['tcp', 'tcp6']
    .flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote, state]) => state === '01' && [local, remote].some((at) => at?.endsWith(hex(port))))
    .map((fields) => fields[5]!.slice(0, 2))
const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`

test('both ends of a silent connection send probes, to detect a host without power', {
  skip: process.platform !== 'linux' && 'only Linux lists connections in /proc',
}, async () => {
  await using at = await startBehindTcp()
  const { finished } = await createTurnClient(at.reach(at.trusted)).listen('say hi\nwait 60000')
  await until(() => timersOf(at.daemon.port!).join(' ') === '02 02')
  await at.daemon.stop()
  await finished
})
