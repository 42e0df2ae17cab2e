import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { candidateOf, endpointOf, planInput, pricesOf } from '#test/harness/upstream/candidates.ts'
import { planAttempts } from './plan-attempts.ts'
import { drawsFor } from './sticky-draw.ts'

type Said = { session?: string; key?: string; messages?: object[]; workspace?: string }
type Standings = NonNullable<Parameters<typeof planInput>[0]['standings']>

const names = ['north', 'south', 'west', 'east']
const equal = names.map((name) => endpointOf(name))
const user = (content: unknown) => ({ role: 'user', content })

function lots({ session, key, messages = [user('Hi')], workspace = 'w' }: Said) {
  const chat = { messages, ...(key && { prompt_cache_key: key }) } as ChatRequest
  return drawsFor({ caller: { workspaceId: workspace }, sessionId: session, chat })
}
function order(said: Said, standings: Standings = {}, endpoints = equal, provider = {}): string[] {
  const input = planInput({ candidates: [candidateOf(endpoints)], standings, provider })
  return planAttempts({ ...input, draw: lots(said) }).targets.map(({ endpoint }) => endpoint.tag)
}
const sessions = Array.from({ length: 4000 }, (_, at) => ({ session: `session ${at}` }))

describe('requests that belong together', () => {
  test('go to one endpoint: by session, else by cache key, else by how the conversation begins', () => {
    const first = (said: Said) => order(said).join()
    assert.equal(
      first({ session: 's', messages: [user('a')] }),
      first({ session: 's', key: 'k', messages: [user('b')] }),
    )
    assert.equal(first({ key: 'k', messages: [user('a')] }), first({ key: 'k', messages: [user('b')] }))
    const begun = [{ role: 'system', content: 'Be brief.' }, user('a')]
    const later = [...begun, { role: 'assistant', content: 'A.' }, user('b')]
    assert.equal(first({ messages: begun }), first({ messages: later }))
    const inParts = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      user([{ type: 'text', text: 'a' }]),
    ]
    assert.equal(first({ messages: begun }), first({ messages: inParts }))
  })

  test('are told from others by any of these', () => {
    const long = 'x'.repeat(10_000)
    const different: Said[] = [
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
    const drawn = different.map((said) => names.map((id) => lots(said)({ id })).join())
    assert.equal(new Set(drawn).size, different.length)
  })

  test('are not parted by a system message that ends with the time', () => {
    const at = (time: string) => [{ role: 'system', content: `${'Be brief. '.repeat(200)}${time}` }, user('Hi')]
    assert.deepEqual(order({ messages: at('10:00:01') }), order({ messages: at('10:00:02') }))
  })

  test('are shared out as prices are: half the price, four times the sessions', () => {
    const endpoints = [1, 2].map((price) => endpointOf(`at-${price}`, { prices: pricesOf(price, price) }))
    const cheap = sessions.filter((said) => order(said, {}, endpoints)[0] === 'at-1').length
    // 3,200 are expected; the standard deviation is 25.
    assert.ok(Math.abs(cheap - 3200) < 125, `${cheap}`)
    for (const name of names) {
      const count = sessions.filter((said) => order(said)[0] === name).length
      // 1,000 are expected; the standard deviation is 27.
      assert.ok(Math.abs(count - 1000) < 135, `${name}: ${count}`)
    }
  })

  test('move alone when their endpoint is troubled, shut or gone, each on its own way', () => {
    const moved = (standings: Standings) => {
      const after = sessions.map((said) => [order(said), order(said, standings)] as const)
      for (const [before, now] of after) if (before[0] !== 'north') assert.equal(now[0], before[0])
      return new Set(after.filter(([before]) => before[0] === 'north').map(([, now]) => now[0]))
    }
    for (const circuit of ['troubled', 'shut', 'barred'] as const)
      assert.deepEqual([...moved({ north: { circuit } })].toSorted(), ['east', 'south', 'west'])
  })

  test('go where the request says first: its order, its sort, speeds', () => {
    const fast = { west: { latencyMs: 10, throughput: 90 }, east: { latencyMs: 900, throughput: 9 } }
    for (const said of sessions.slice(0, 50)) {
      assert.deepEqual(order(said, {}, equal, { order: ['east', 'west'] }).slice(0, 2), ['east', 'west'])
      assert.equal(order(said, fast, equal, { sort: 'latency' })[0], 'west')
      assert.equal(order(said, fast, equal, { preferred_min_throughput: 20 }).at(-1), 'east')
    }
    assert.ok(new Set(sessions.map((said) => order(said, {}, equal, { sort: 'price' })[0])).size === 4)
  })
})
