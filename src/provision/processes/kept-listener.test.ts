import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Refusal } from '#interns/contract/refusal.ts'
import { keptThrough } from '#interns/remote/connect-runs.ts'
import { daemonName, keptName, logName } from '#interns/remote/daemon-certificates.ts'
import { connectTls } from '#interns/remote/tls-connection.ts'
import type { Holder } from '#platform/net/certificates.ts'
import { daemonTls, testAuthority } from '#test/harness/service/certificates.ts'
import { startKeptListener } from './kept-listener.ts'

const server: Holder = { name: 'server.interns.internal', as: 'client' }

/** A listener, and the way in for who has this certificate, or none. Behind it every request is answered with its intern's id. */
async function startListener(holder: Holder | undefined, wanted = keptName('ada')) {
  const authority = await testAuthority()
  const forKept = async () => {
    const issued = await authority.issue({ name: keptName('*'), as: 'server' })
    return { ...issued, authorities: authority.certificate, renewAt: 0 }
  }
  const asked: string[] = []
  const behind = createServer((socket) => void socket.once('data', () => socket.end(page(asked.at(-1)!))))
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
  const { port: inner } = behind.address() as { port: number }
  const deps = { listen: '127.0.0.1', ports: '22000-29000', certificates: { forKept }, warn: assert.fail }
  const opened = await startKeptListener(deps, async (id, what) => {
    if (id === 'busy') throw new Refusal('files_busy', 'Too much is asked.')
    asked.push(what === 'log' ? `log of ${id}` : id)
    return connect(inner, '127.0.0.1') as Socket
  })
  const shown = holder && (await authority.issue(holder))
  const tls = daemonTls(wanted, authority.certificate, shown)
  const { files } = keptThrough(async () => connectTls({ host: '127.0.0.1', port: opened.port, token: '', tls }))
  const close = async () => {
    await opened.close()
    await new Promise((resolve) => behind.close(resolve))
  }
  return { list: () => files.list('', { limit: 10 }), asked, [Symbol.asyncDispose]: close }
}

function page(name: string): string {
  const entry = { name, isNameValid: true, kind: 'file', size: 1, modifiedAt: 1, isExecutable: false, target: null }
  const body = JSON.stringify({ entries: [entry] })
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
}

test('a server gets at what is kept of the intern that it names', async () => {
  await using listener = await startListener(server)
  assert.deepEqual(
    (await listener.list()).entries.map(({ name }) => name),
    ['ada'],
  )
  assert.deepEqual(listener.asked, ['ada'])
})

test('the log of an intern has a name of its own', async () => {
  await using listener = await startListener(server, logName('ada'))
  await listener.list()
  assert.deepEqual(listener.asked, ['log of ada'])
})

test('what is refused is told to the server that asked', async () => {
  await using listener = await startListener(server, keptName('busy'))
  await assert.rejects(listener.list(), { kind: 'files_busy', message: 'Too much is asked.', retryable: true })
})

for (const [who, holder] of [
  ['who shows nothing', undefined],
  ['an intern’s daemon', { name: daemonName('eve'), as: 'server' }],
] as const)
  test(`${who} gets at nothing`, async () => {
    await using listener = await startListener(holder)
    await assert.rejects(listener.list(), { name: 'Refusal' })
    assert.deepEqual(listener.asked, [])
  })

test('a daemon is not taken for the server of its host', async () => {
  await using listener = await startListener(server, daemonName('ada'))
  await assert.rejects(listener.list(), { kind: 'intern_unreachable' })
  assert.deepEqual(listener.asked, [])
})
