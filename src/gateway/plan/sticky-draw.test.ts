import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { candidateOf, endpointOf, planInput, pricesOf } from '#test/harness/upstream/endpoints/candidates.ts'
import { planAttempts } from './plan-attempts.ts'
import { createStickyDraw } from './sticky-draw.ts'

type Conversation = { session?: string; key?: string; messages?: object[]; workspace?: string }
type Standings = NonNullable<Parameters<typeof planInput>[0]['standings']>

const names = ['north', 'south', 'west', 'east']
const equal = names.map((name) => endpointOf(name))
const user = (content: unknown) => ({ role: 'user', content })

function draws({ session, key, messages = [user('Hi')], workspace = 'w' }: Conversation) {
  const chat = { messages, ...(key && { prompt_cache_key: key }) } as ChatRequest
  return createStickyDraw({ caller: { workspaceId: workspace }, sessionId: session, chat })
}
function order(conversation: Conversation, standings: Standings = {}, endpoints = equal, provider = {}): string[] {
  const input = planInput({ candidates: [candidateOf(endpoints)], standings, provider })
  return planAttempts({ ...input, draw: draws(conversation) }).targets.map(({ endpoint }) => endpoint.tag)
}
const sessions = Array.from({ length: 4000 }, (_, at) => ({ session: `session ${at}` }))

describe('requests of one conversation', () => {
  test('use one endpoint: by session, else cache key, else first messages', () => {
    const first = (conversation: Conversation) => order(conversation).join()
    assert.equal(
      first({ session: 's', messages: [user('a')] }),
      first({ session: 's', key: 'k', messages: [user('b')] }),
    )
    assert.equal(first({ key: 'k', messages: [user('a')] }), first({ key: 'k', messages: [user('b')] }))
    const start = [{ role: 'system', content: 'Be brief.' }, user('a')]
    const later = [...start, { role: 'assistant', content: 'A.' }, user('b')]
    assert.equal(first({ messages: start }), first({ messages: later }))
    const inParts = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      user([{ type: 'text', text: 'a' }]),
    ]
    assert.equal(first({ messages: start }), first({ messages: inParts }))
  })

  test('differ from others in session, key, messages or workspace', () => {
    const long = 'x'.repeat(10_000)
    const different: Conversation[] = [
      ...names.map((session) => ({ session })),
      ...names.map((key) => ({ key })),
      ...names.map((text) => ({ messages: [user(text)] })),
      ...names.map((text) => ({ messages: [user(`${long}${text}`)] })),
      ...names.map((text) => ({ messages: [{ role: 'system', content: text }, user('Hi')] })),
      ...names.map((url) => ({
        messages: [user([{ type: 'image_url', image_url: { url: `https://example.com/${url}` } }])],
      })),
      ...names.map((workspace) => ({ workspace, session: 'default' })),
    ]
    const drawn = different.map((conversation) => names.map((id) => draws(conversation)({ id })).join())
    assert.equal(new Set(drawn).size, different.length)
  })

  test('stay together if the system message ends with the time', () => {
    const at = (time: string) => [{ role: 'system', content: `${'Be brief. '.repeat(200)}${time}` }, user('Hi')]
    assert.deepEqual(order({ messages: at('10:00:01') }), order({ messages: at('10:00:02') }))
  })

  test('are distributed by 1/price²: half the price gets four times the sessions', () => {
    const endpoints = [1, 2].map((price) => endpointOf(`at-${price}`, { prices: pricesOf(price, price) }))
    const cheap = sessions.filter((conversation) => order(conversation, {}, endpoints)[0] === 'at-1').length
    // 3,200 are expected; the standard deviation is 25.
    assert.ok(Math.abs(cheap - 3200) < 125, `${cheap}`)
    for (const name of names) {
      const count = sessions.filter((conversation) => order(conversation)[0] === name).length
      // 1,000 are expected; the standard deviation is 27.
      assert.ok(Math.abs(count - 1000) < 135, `${name}: ${count}`)
    }
  })

  test('move only if their own endpoint has failures, and spread over the others', () => {
    const moved = (standings: Standings) => {
      const after = sessions.map((conversation) => [order(conversation), order(conversation, standings)] as const)
      for (const [before, now] of after) if (before[0] !== 'north') assert.equal(now[0], before[0])
      return new Set(after.filter(([before]) => before[0] === 'north').map(([, now]) => now[0]))
    }
    for (const circuit of ['troubled', 'open', 'unavailable'] as const)
      assert.deepEqual([...moved({ north: { circuit } })].toSorted(), ['east', 'south', 'west'])
  })

  test('follow the order, sort and speeds of the request first', () => {
    const fast = { west: { latencyMs: 10, throughput: 90 }, east: { latencyMs: 900, throughput: 9 } }
    for (const conversation of sessions.slice(0, 50)) {
      assert.deepEqual(order(conversation, {}, equal, { order: ['east', 'west'] }).slice(0, 2), ['east', 'west'])
      assert.equal(order(conversation, fast, equal, { sort: 'latency' })[0], 'west')
      assert.equal(order(conversation, fast, equal, { preferred_min_throughput: 20 }).at(-1), 'east')
    }
    assert.ok(new Set(sessions.map((conversation) => order(conversation, {}, equal, { sort: 'price' })[0])).size === 4)
  })
})
