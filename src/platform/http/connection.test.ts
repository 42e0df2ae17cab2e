import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createConnectionReader } from './connection.ts'

type Raw = Parameters<ReturnType<typeof createConnectionReader>>[0]

/** The address of a client behind a proxy at 10.0.0.1 that sends these headers. */
function addressBy(header: 'forwarded' | 'x-forwarded-host', headers: Raw['headers'], from = '10.0.0.1'): string {
  const addressOf = createConnectionReader({ addresses: ['10.0.0.0/8'], header })
  return addressOf({ headers: { host: 'box.example', ...headers }, socket: { remoteAddress: from } } as Raw).address
}

describe('the address of a client', () => {
  const cases: [what: string, header: string, address: string][] = [
    ['is what a trusted proxy says', '192.0.2.7', '192.0.2.7'],
    ['is the last that no trusted proxy has', '198.51.100.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['is the first of trusted ones alone', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is not what a client wrote that its proxy does not name', '198.51.100.1, unknown', '10.0.0.1'],
  ]
  for (const [what, forwardedFor, address] of cases) {
    test(what, () => {
      assert.equal(addressBy('x-forwarded-host', { 'x-forwarded-for': forwardedFor }), address)
      const forwarded = forwardedFor.split(', ').map((one) => `for=${one};proto=https`)
      assert.equal(addressBy('forwarded', { forwarded: forwarded.join(', ') }), address)
    })
  }

  test('is not a header that the client wrote itself', () =>
    assert.equal(addressBy('forwarded', { forwarded: 'for=198.51.100.1, for=_hidden' }), '10.0.0.1'))

  test('is that of the socket for clients other than trusted proxies', () =>
    assert.equal(addressBy('x-forwarded-host', { 'x-forwarded-for': '192.0.2.7' }, '203.0.113.9'), '203.0.113.9'))
})

describe('the origin of a request', () => {
  const originOf = (headers: Raw['headers'], remoteAddress: string) =>
    createConnectionReader(
      { addresses: ['10.0.0.0/8'], header: 'x-forwarded-host' },
      'https://box.example/llm',
    )({
      headers: { host: 'box.example', ...headers },
      socket: { remoteAddress },
    } as Raw).origin

  test('of the public host has the scheme of the public URL', () =>
    assert.equal(originOf({}, '203.0.113.9'), 'https://box.example'))

  test('of another host has the scheme of the connection', () =>
    assert.equal(originOf({ host: 'localhost:8080' }, '203.0.113.9'), 'http://localhost:8080'))

  test('has the scheme that a trusted proxy reports', () =>
    assert.equal(originOf({ 'x-forwarded-proto': 'http' }, '10.0.0.1'), 'http://box.example'))

  test('does not have the scheme that anybody else reports', () =>
    assert.equal(originOf({ 'x-forwarded-proto': 'http' }, '203.0.113.9'), 'https://box.example'))
})
