import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Fault } from '#platform/core/fault.ts'
import { builtinLabels, builtinSlugs } from './detectors/builtins.ts'
import { compileFilters } from './filter-rule.ts'
import { createScanner } from './scanner.ts'

const scanner = createScanner({ timeLimitMs: 600_000 })
after(() => scanner.close())

const builtins = builtinSlugs.map((slug) => ({ slug, action: 'redact' as const, label: builtinLabels[slug] }))
const policy = { content_filter_builtins: builtins, content_filters: null }
const filters = compileFilters([{ id: 'g', name: 'g', policy }])
const long = 'The committee met John Smith in Building 7. '.repeat(10_000)

const scanFor = (keyHash: string, text = long, signal?: AbortSignal) =>
  scanner.scanText(filters, text, { requester: { workspaceId: keyHash[0]!, keyHash }, signal })

test('a prompt of another workspace does not wait for the queue of a busy one', async () => {
  // Both threads are running.
  await Promise.all([scanFor('a1'), scanFor('b1')])
  const finished: string[] = []
  const scan = (keyHash: string, text?: string) => scanFor(keyHash, text).then(() => finished.push(keyHash))
  await Promise.all([...Array.from({ length: 16 }, () => scan('a1')), scan('b1', long.slice(0, 22_000))])
  assert.ok(finished.indexOf('b1') < 8, finished.join(' '))
})

test('another key of a busy workspace gets every second turn', async () => {
  const finished: string[] = []
  const scan = (keyHash: string) => scanFor(keyHash).then(() => finished.push(keyHash))
  await Promise.all([...Array.from({ length: 16 }, () => scan('a1')), scan('a2')])
  assert.ok(finished.indexOf('a2') < 8, finished.join(' '))
})

test('a key with 64 waiting prompts is refused more, and other keys are not', async () => {
  const stop = new AbortController()
  const waiting = Array.from({ length: 70 }, () => scanFor('a1', long, stop.signal))
  const outcomes = Promise.allSettled(waiting)
  const other = await scanFor('a2', long.slice(0, 22_000))
  stop.abort()
  const refused = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason as Fault] : []))
  const limited = refused.filter(({ kind }) => kind === 'rate_limited')
  assert.equal(other.outcome, 'passed')
  assert.ok(limited.length >= 3 && limited.length <= 5, String(limited.length))
  assert.match(limited[0]!.message, /^64 requests of this key already wait for content filters/)
  assert.equal(limited[0]!.details.retryAfterSeconds, 5)
  assert.ok(refused.some(({ kind }) => kind === 'client_closed_request'))
})

test('a key may have 64 MiB waiting, counted by the size of the prompts', async () => {
  const stop = new AbortController()
  const large = 'x'.repeat(20 * 1024 * 1024)
  const waiting = Array.from({ length: 9 }, () => scanFor('a1', large, stop.signal))
  const outcomes = Promise.allSettled(waiting)
  stop.abort()
  const kinds = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [(one.reason as Fault).kind] : []))
  assert.ok(kinds.includes('rate_limited') && kinds.includes('client_closed_request'), kinds.join(' '))
})

test('a prompt whose client has left is removed from the queue', async () => {
  const stop = new AbortController()
  const running = [scanFor('a1'), scanFor('b1')]
  const aborted = Array.from({ length: 20 }, () => scanFor('a1', long, stop.signal))
  const outcomes = Promise.allSettled(aborted)
  stop.abort()
  const isRemoved = ({ status, reason }: { status: string; reason?: Fault }) =>
    status === 'rejected' && reason?.kind === 'client_closed_request'
  assert.ok((await outcomes).filter(isRemoved).length >= 16)
  await Promise.all(running)
})
