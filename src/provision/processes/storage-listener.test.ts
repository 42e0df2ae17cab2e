import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Refusal } from '#interns/contract/refusal.ts'
import { connectStorage } from '#interns/remote/connect-runs.ts'
import { daemonName, logName, storageName } from '#interns/remote/daemon-certificates.ts'
import { connectTls } from '#interns/remote/tls-connection.ts'
import type { LeafSubject } from '#platform/net/certificates.ts'
import { createTestCa, daemonTls } from '#test/harness/service/certificates.ts'
import { startStorageListener } from './storage-listener.ts'

const server: LeafSubject = { name: 'server.interns.internal', as: 'client' }

/** A listener, and a client with this certificate, or none. Each request is answered with the id of its intern. */
async function startListener(leaf: LeafSubject | undefined, serverName = storageName('ada')) {
  const ca = await createTestCa()
  const forStorage = async () => {
    const issued = await ca.issue({ name: storageName('*'), as: 'server' })
    return { ...issued, caCertificates: ca.certificate, renewAt: 0 }
  }
  const requested: string[] = []
  const upstream = createServer((socket) => void socket.once('data', () => socket.end(page(requested.at(-1)!))))
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port: inner } = upstream.address() as { port: number }
  const deps = { listen: '127.0.0.1', ports: '22000-29000', certificates: { forStorage }, warn: assert.fail }
  const opened = await startStorageListener(deps, async (id, what) => {
    if (id === 'busy') throw new Refusal('files_busy', 'Too many requests.')
    requested.push(what === 'log' ? `log of ${id}` : id)
    return connect(inner, '127.0.0.1') as Socket
  })
  const certificate = leaf && (await ca.issue(leaf))
  const tls = daemonTls(serverName, ca.certificate, certificate)
  const { files } = connectStorage(async () => connectTls({ host: '127.0.0.1', port: opened.port, token: '', tls }))
  const close = async () => {
    await opened.close()
    await new Promise((resolve) => upstream.close(resolve))
  }
  return { list: () => files.list('', { limit: 10 }), requested, [Symbol.asyncDispose]: close }
}

function page(name: string): string {
  const entry = { name, isNameValid: true, kind: 'file', size: 1, modifiedAt: 1, isExecutable: false, target: null }
  const body = JSON.stringify({ entries: [entry] })
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
}

test('a server reads the files of the intern that it names', async () => {
  await using listener = await startListener(server)
  assert.deepEqual(
    (await listener.list()).entries.map(({ name }) => name),
    ['ada'],
  )
  assert.deepEqual(listener.requested, ['ada'])
})

test('the log of an intern has a separate name', async () => {
  await using listener = await startListener(server, logName('ada'))
  await listener.list()
  assert.deepEqual(listener.requested, ['log of ada'])
})

test('a refusal is returned to the requesting server', async () => {
  await using listener = await startListener(server, storageName('busy'))
  await assert.rejects(listener.list(), { kind: 'files_busy', message: 'Too many requests.', retryable: true })
})

for (const [who, leaf] of [
  ['a client without a certificate', undefined],
  ['an intern’s daemon', { name: daemonName('eve'), as: 'server' }],
] as const)
  test(`${who} is refused`, async () => {
    await using listener = await startListener(leaf)
    await assert.rejects(listener.list(), { name: 'Refusal' })
    assert.deepEqual(listener.requested, [])
  })

test('the name of a daemon is refused', async () => {
  await using listener = await startListener(server, daemonName('ada'))
  await assert.rejects(listener.list(), { kind: 'intern_unreachable' })
  assert.deepEqual(listener.requested, [])
})
