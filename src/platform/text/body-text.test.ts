import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readBodyText } from './body-text.ts'

const zipped = gzipSync('x'.repeat(10_000_000))

test('an endless response is aborted at the limit, counted after decompression', async () => {
  let closed = false
  const server = createServer((request, response) => {
    if (request.url === '/short') return void response.end('zwölf 🚂')
    response.on('close', () => {
      closed = true
    })
    response.writeHead(200, { 'content-encoding': 'gzip' })
    Readable.from(Array(300).fill(zipped)).pipe(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  assert.equal(await readBodyText(await fetch(`http://127.0.0.1:${port}/short`), 11), 'zwölf 🚂')
  await assert.rejects(readBodyText(await fetch(`http://127.0.0.1:${port}/`), 1_000_000), /over 1000000 bytes/)
  while (!closed) await new Promise((resolve) => setTimeout(resolve, 10))
  server.close()
})
