import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repairHttpResponse } from './repair-responses.ts'

const answer = '{"jsonrpc":"2.0","id":1,"result":{"a":"é"},"error":null}'
const repaired = '{"jsonrpc":"2.0","id":1,"result":{"a":"é"}}'

const read = async (body: string | ReadableStream, type: string, status = 200) => {
  const headers = { 'content-type': type, 'mcp-session-id': 's' }
  const response = await repairHttpResponse(new Response(body, { status, headers }))
  assert.equal(response.headers.get('mcp-session-id'), 's')
  return response.text()
}

test('an error that is null beside a result is removed from JSON', async () => {
  assert.equal(await read(answer, 'application/json; charset=utf-8'), repaired)
  assert.equal(await read(`[${answer}]`, 'application/json'), `[${repaired}]`)
  for (const other of ['{"id":1,"result":{"error": null}} x', 'not JSON "error":null', '{"method":"m","error":null}'])
    assert.equal(await read(other, 'application/json'), other)
  assert.equal(await read(answer, 'text/plain'), answer)
  assert.equal(await read(answer, 'application/json', 500), answer)
})

test('an error that is null beside a result is removed from events, at every split', async () => {
  const sent = Buffer.from(`event: message\r\ndata: ${answer}\r\n\r\n: comment\n\ndata: ${answer}\n\n`)
  const expected = `event: message\r\ndata:${repaired}\n\r\n: comment\n\ndata:${repaired}\n\n`
  for (let at = 0; at <= sent.length; at++) {
    const body = ReadableStream.from([sent.subarray(0, at), sent.subarray(at)].filter(({ length }) => length > 0))
    assert.equal(await read(body, 'text/event-stream'), expected)
  }
})
