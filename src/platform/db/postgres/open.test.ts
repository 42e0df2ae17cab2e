import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Settings } from '../../config/settings.ts'
import { openPostgres } from './open.ts'

const message = (type: string, ...parts: (string | number[])[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
const ready = message('Z', 'I')

/** A Postgres that accepts every connection and then never answers. */
async function startUnwilling() {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', [0, 0, 0, 0]), ready]))
      const refused = message('E', 'SERROR\0', 'C58000\0', 'Mnothing works here\0', '\0')
      socket.on('data', (result) => {
        if (result[0] === 'X'.charCodeAt(0)) return
        const response = result.includes('select 1\0') ? refused : message('C', 'SELECT 0\0')
        socket.write(Buffer.concat([response, ready]))
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { open, url: `postgres://user@127.0.0.1:${port}/database`, [Symbol.dispose]: () => void server.close() }
}

test('a start that the database refuses says why, and leaves no connection behind', async () => {
  using unwilling = await startUnwilling()
  const opening = openPostgres(unwilling.url, async () => {}, {}, Settings.parse({ data_dir: '/nowhere' }))
  await assert.rejects(opening, /DATABASE_URL cannot be used: nothing works here\./)
  for (let turns = 0; turns < 1000 && unwilling.open.size > 0; turns++) await turn()
  const openSockets = unwilling.open.size
  for (const socket of unwilling.open) socket.destroy()
  assert.equal(openSockets, 0)
})
