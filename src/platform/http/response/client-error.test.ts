import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { respondToClientError } from './client-error.ts'

test('invalid requests get a response, but not within another response', async () => {
  const server = createServer((request, response) => {
    response.write('started')
    request.socket.once('close', () => response.end())
  })
  server.on('clientError', (error, socket) => respondToClientError(error, socket as Socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo

  const talk = async (...pieces: string[]) => {
    const socket = connect(port, '127.0.0.1')
    let message = ''
    socket.setEncoding('latin1').on('data', (text) => {
      message += text
    })
    for (const piece of pieces) {
      socket.write(piece)
      if (piece !== pieces.at(-1)) await once(socket, 'data')
    }
    await once(socket, 'close')
    return message
  }
  assert.match(await talk('GARBAGE\r\n\r\n'), /^HTTP\/1.1 400 Bad Request\r\n/)
  const cut = await talk('GET / HTTP/1.1\r\nhost: x\r\n\r\n', 'GARBAGE\r\n\r\n')
  assert.match(cut, /^HTTP\/1.1 200 OK\r\n[\s\S]*started\r\n$/)
  server.close()
})
