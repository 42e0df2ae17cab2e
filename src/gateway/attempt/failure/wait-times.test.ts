import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  parseProviderRetryAfter,
  parseWaitMessage,
  readBodyWait,
  readRetryAfter,
  readTimeToReset,
} from './wait-times.ts'

const at = Date.UTC(2026, 10, 18, 12)

test('Retry-After is limited to a day', () => {
  const day = 24 * 3_600_000
  for (const header of ['1000000000', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])
    assert.equal(parseProviderRetryAfter(header, at), day)
})

test('Retry-After is read in seconds and as a date', () => {
  assert.equal(parseProviderRetryAfter('1.5', at), 1500)
  assert.equal(parseProviderRetryAfter(new Date(at + 60_000).toUTCString(), at), 60_000)
  assert.equal(parseProviderRetryAfter(new Date(at - 60_000).toUTCString(), at), 0)
  assert.deepEqual(
    [parseProviderRetryAfter('soon', at), parseProviderRetryAfter('', at), parseProviderRetryAfter(undefined, at)],
    [undefined, undefined, undefined],
  )
})

test('the time to wait is also read in milliseconds and from the message', () => {
  assert.equal(readRetryAfter({ 'retry-after-ms': '4500', 'retry-after': '5' }, 0), 4500)
  assert.equal(readRetryAfter({ 'retry-after-ms': 'soon', 'retry-after': '5' }, 0), 5000)
  assert.equal(parseWaitMessage('Rate limit reached. Please try again in 7.66s. Visit our site.'), 7660)
  assert.equal(parseWaitMessage('Please try again in 1m7.5s.'), 67_500)
  assert.equal(parseWaitMessage('Please retry after 250ms.'), 250)
  assert.equal(parseWaitMessage('Please try again in 1h2m3.5s.'), 3_723_500)
  assert.equal(parseWaitMessage('Please retry after 26 seconds.'), 26_000)
  assert.equal(parseWaitMessage('Try again in 2 minutes.'), 120_000)
  assert.equal(parseWaitMessage('Please wait 10 seconds before retrying'), 10_000)
  for (const message of ['Please try again later.', 'Please wait 10 and retry.', 'Please retry after 3 months.'])
    assert.equal(parseWaitMessage(message), undefined, message)
})

test('the time to wait is read in other words, and in Chinese', () => {
  for (const words of [
    'Rate limit resets in 7s',
    'Your quota will reset after 7s.',
    'available in 7 seconds',
    '请在 7 秒后重试',
  ])
    assert.equal(parseWaitMessage(words), 7000, words)
  assert.equal(parseWaitMessage('请 2 分钟后再试'), 120_000)
  assert.equal(parseWaitMessage('The limit will reset at 2099-01-01.'), undefined)
})

test('Retry-After is read with quotes, a parameter or words', () => {
  for (const header of ['"7"', '7;comment=x', 'PT7S', 'Retry in 7 seconds'])
    assert.equal(parseProviderRetryAfter(header, at), 7000)
})

test('the first of several values of Retry-After counts', () => {
  assert.equal(parseProviderRetryAfter('120, 60', at), 120_000)
  assert.equal(readTimeToReset({ 'x-ratelimit-reset-after': '12' }, at), 12_000)
})

test('Retry-After can be a duration, and Azure has its own header', () => {
  assert.equal(parseProviderRetryAfter('30s', at), 30_000)
  assert.equal(parseProviderRetryAfter('6m0s', at), 360_000)
  assert.equal(readRetryAfter({ 'x-ms-retry-after-ms': '4500' }, at), 4500)
})

test('an exhausted rate limit is waited for until its reset', () => {
  const openai = { 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '1s' }
  assert.equal(readTimeToReset({ ...openai, 'x-ratelimit-remaining-tokens': '0' }, at), 1000)
  assert.equal(readTimeToReset({ ...openai, 'x-ratelimit-remaining-requests': '0' }, at), 360_000)
  assert.equal(readTimeToReset({ ...openai, 'x-ratelimit-remaining-requests': '5' }, at), undefined)
  const anthropic = { 'anthropic-ratelimit-input-tokens-reset': new Date(at + 20_000).toISOString() }
  assert.equal(readTimeToReset({ ...anthropic, 'anthropic-ratelimit-input-tokens-remaining': '0' }, at), 20_000)
  for (const reset of ['20', String(at + 20_000), String(at / 1000 + 20)])
    assert.equal(readTimeToReset({ 'x-ratelimit-reset': reset }, at), 20_000)
})

test('the time to wait is read from the body of a refusal', () => {
  assert.equal(readBodyWait({ error: { retry_after: 9 } }, at), 9000)
  assert.equal(readBodyWait({ error: { metadata: { retry_after_seconds: 1.5 } } }, at), 1500)
  assert.equal(readBodyWait({ retry_after_ms: 250 }, at), 250)
  assert.equal(readBodyWait({ error: { type: 'usage_limit_reached', resets_in_seconds: 3600 } }, at), 3_600_000)
  const headers = { 'X-RateLimit-Reset': String(at + 20_000) }
  assert.equal(readBodyWait({ error: { metadata: { headers } } }, at), 20_000)
  for (const body of [null, 'slow', { error: { retry_after: 'soon' } }, { error: [] }])
    assert.equal(readBodyWait(body, at), undefined)
})

test('Retry-After can be a time since 1970, and have the prefix of other headers', () => {
  assert.equal(readRetryAfter({ 'retry-after': String(at / 1000 + 20) }, at), 20_000)
  assert.equal(readRetryAfter({ 'x-retry-after': '5' }, at), 5000)
})

test('limits of a period, of a plan and in one header are waited for', () => {
  const cerebras = { 'x-ratelimit-remaining-tokens-minute': '0', 'x-ratelimit-reset-tokens-minute': '30.5' }
  assert.equal(readTimeToReset(cerebras, at), 30_500)
  assert.equal(readTimeToReset({ 'anthropic-ratelimit-unified-reset': String(at / 1000 + 20) }, at), 20_000)
  for (const ratelimit of ['limit=100, remaining=0, reset=20', '"default";r=0;t=20'])
    assert.equal(readTimeToReset({ ratelimit }, at), 20_000)
  assert.equal(readTimeToReset({ ratelimit: 'limit=100, remaining=5, reset=20' }, at), undefined)
})

test('the time until a model is loaded is read from the body', () => {
  assert.equal(readBodyWait({ error: 'Model is loading', estimated_time: 20.5 }, at), 20_500)
})
