import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maskSecrets } from './mask-secrets.ts'

const secret = 'my.sk-0123456789aBcDeFgh+/tail=='
const characters = [...secret]
const hexOf = (character: string, width: number) => character.charCodeAt(0).toString(16).padStart(width, '0')

/** Forms in which a credential may come back, each beside words that stay. */
const forms: Record<string, string> = {
  'as it is': secret,
  'in capitals': secret.toUpperCase(),
  'percent-encoded': encodeURIComponent(secret),
  'percent-encoded altogether': characters.map((one) => `%${hexOf(one, 2)}`).join(''),
  'percent-encoded twice': encodeURIComponent(encodeURIComponent(secret)),
  'in HTML, named': secret.replaceAll('+', '&plus;').replaceAll('/', '&sol;').replaceAll('=', '&equals;'),
  'in HTML, decimal': characters.map((one) => `&#${one.charCodeAt(0)};`).join(''),
  'in HTML, hexadecimal': characters.map((one) => `&#x${hexOf(one, 2)};`).join(''),
  'in JSON, escaped': characters.map((one) => `\\u${hexOf(one, 4)}`).join(''),
  'in JSON in JSON': characters.map((one) => `\\\\u${hexOf(one, 4)}`).join(''),
  'in JSON, only its slash': secret.replaceAll('/', '\\/'),
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64url': Buffer.from(secret).toString('base64url'),
  'in base64 of Basic': Buffer.from(`u:${secret}`).toString('base64'),
  'in base64 of more': Buffer.from(`user:${secret}\n`).toString('base64'),
  'in base64, percent-encoded': encodeURIComponent(Buffer.from(secret).toString('base64')),
  'in hexadecimal digits': Buffer.from(secret).toString('hex'),
  'its beginning': `${secret.slice(0, 10)}…`,
  'its end': `…${secret.slice(-8)}`,
  'its middle, in capitals': secret.slice(8, 20).toUpperCase(),
}

/** All decodings of a text. */
function readings(text: string): string {
  const plain = (message: string) =>
    message
      .replace(/%([0-9a-f]{2})|\\+u([0-9a-f]{4})|&#x([0-9a-f]+);/gi, (_, ...codes) =>
        String.fromCharCode(
          Number.parseInt(
            codes.find((code) => code !== undefined),
            16,
          ),
        ),
      )
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const base64 = (text.match(/[\w+/-]{8,}/g) ?? []).map((run) => Buffer.from(run, 'base64').toString('latin1'))
  const hex = (text.match(/[0-9a-f]{8,}/gi) ?? []).map((run) => Buffer.from(run, 'hex').toString('latin1'))
  return [text, plain(text), plain(plain(text)), ...base64, ...hex].join(' ').toLowerCase()
}

describe('a credential in an upstream message is masked', () => {
  for (const [how, form] of Object.entries(forms)) {
    test(how, () => {
      const masked = maskSecrets(`The key “${form}” is wrong.`, secret)
      assert.match(masked, /^The key “.*\[secret\].*” is wrong\.$/)
      const allReadings = readings(masked)
      for (let at = 0; at + 8 <= secret.length; at++)
        assert.ok(!allReadings.includes(secret.toLowerCase().slice(at, at + 8)), `${at}: ${masked}`)
    })
  }

  for (const message of [
    'key sk-proj-0123456789abcdef is wrong',
    'AIzaSyA0123456789abcdefghijklmnop',
    'use "Bearer abc.def"',
    'use Bearer%20abc.def',
    'sb-v1-0123456789abcdef0123',
  ]) {
    test(`a text that only resembles one is not masked: ${message.slice(0, 12)}…`, () => {
      const masked = maskSecrets(message, secret)
      assert.match(masked, /\[secret\]/)
      assert.doesNotMatch(masked, /0123456789|abc\.def/)
    })
  }
})

test('words that only start like a secret, and other escapes, stay', () => {
  for (const message of [
    'skateboarding keyboardinterrupt risk-assessment-of-models',
    '100%25 of &lt;b&gt; in {"a":"\\u00e9\\u0041"} &unknown; %zz \u0130stanbul',
  ])
    for (const credential of [secret, undefined]) assert.equal(maskSecrets(message, credential), message)
})

test('letters with a longer lower case do not shift positions', () => {
  assert.equal(maskSecrets(`\u0130\u0130\u0130 ${secret} is wrong`, secret), '\u0130\u0130\u0130 [secret] is wrong')
})

test('a short credential is masked as a whole', () => {
  assert.equal(maskSecrets('no PASS1 here: pas', 'pass1'), 'no [secret] here: pas')
})

test('masking takes bounded time, also for hostile texts', () => {
  const long = 'k'.repeat(4096)
  const hostile = ['%25'.repeat(1e6), 'k'.repeat(1e6), '&#x26;'.repeat(1e6), 'Bearer '.repeat(1e6), 'sk-'.repeat(1e6)]
  const before = process.cpuUsage()
  for (const message of hostile) assert.ok(maskSecrets(message, long).length <= 8192 + 8)
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 2_000_000, `${user + system} µs`)
})
