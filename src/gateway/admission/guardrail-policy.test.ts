import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Budget, SettledCost } from '#spend/budgets/budget.ts'
import { caller } from '#test/harness/records/generations.ts'
import { endpointOf } from '#test/harness/upstream/endpoints/candidates.ts'
import type { Target } from '../plan/plan.ts'
import { createGuardrailPolicy } from './guardrail-policy.ts'
import type { PolicyInput } from './policy.ts'
import { RequestReservation } from './request-reservation.ts'

const limitOf = (id: string, includesByok = false) => ({ id, limit: 1n, includesByok }) as Budget
const noPolicies = { guardrails: [], budgets: [], groupLimits: [] }

test('settling without a known cost charges the whole reservation', async () => {
  let needed = 0n
  const spent: bigint[] = []
  const settle = ({ cost, byok }: SettledCost) => void spent.push(byok ? 0n : cost)
  const reserve = (_budgets: unknown, need: bigint) => {
    needed = need
    return { reservation: { settle } }
  }
  const provider = { protocol: 'openai-chat' }
  const catalogue = { current: () => ({ findProvider: () => provider }) }
  const guardrailCache = { policiesOf: async () => noPolicies, getCached: () => undefined }
  const policy = createGuardrailPolicy({ catalogue, guardrailCache, budgets: { reserve }, now: () => 0 } as never)
  const limited = { ...caller, spendLimit: { usd: 1, reset: null, includesByok: false } }
  const decision = await policy.decide({
    caller: limited,
    chat: { messages: [] },
    body: {},
  } as unknown as PolicyInput)
  const targets = [{ endpoint: endpointOf('p') } as Target]
  const reservation = decision.spending.createReservation({ isByok: () => false })
  await reservation.reserve(targets)
  reservation.settle(undefined)
  assert.ok(needed > 0n)
  assert.deepEqual(spent, [needed])
})

test('settling a reservation twice charges it once', async () => {
  const spent: bigint[] = []
  const reserve = () => ({ reservation: { settle: ({ cost }: SettledCost) => void spent.push(cost) } })
  const catalogue = { current: () => ({ findProvider: () => ({ protocol: 'openai-chat' }) }) }
  const policy = createGuardrailPolicy({
    catalogue,
    guardrailCache: { policiesOf: async () => noPolicies, getCached: () => undefined },
    budgets: { reserve },
  } as never)
  const limited = { ...caller, spendLimit: { usd: 1, reset: null, includesByok: false } }
  const decision = await policy.decide({
    caller: limited,
    chat: { messages: [] },
    body: {},
  } as unknown as PolicyInput)
  const targets = [{ endpoint: endpointOf('p') } as Target]
  const reservation = decision.spending.createReservation({ isByok: () => false })
  await reservation.reserve(targets)
  for (const cost of [5n, 7n]) reservation.settle({ cost, byok: false })
  assert.deepEqual(spent, [5n])
})

test('a limit that was set later counts failed attempts and the response', async () => {
  const spent: string[] = []
  const note = (id: string) => ({
    settle: ({ cost }: SettledCost) => void spent.push(`${id} ${cost}`),
    settleEarly: ({ cost }: SettledCost) => ({ record: () => void spent.push(`${id} early ${cost}`) }),
  })
  const budgets = {
    reserve: async () => ({ reservation: note('first') }),
    openReservation: ({ id }: { id: string }) => note(id),
  }
  const terms = { budgets: [limitOf('first')], guardrails: [], turns: undefined, protocolOf: () => undefined }
  const access = { isByok: () => false }
  const bodies = { chat: { messages: [] }, body: {} }
  const reservation = new RequestReservation({ budgets, now: () => 0 } as never, { ...terms, access } as never, bodies)
  const targets = [{ endpoint: endpointOf('p') } as Target]
  await reservation.reserve(targets)
  await reservation.renew({ cost: 3n, byok: false }, targets)
  for (let times = 0; times < 2; times++) reservation.addLaterLimits([limitOf('later'), limitOf('byok', true)])
  assert.deepEqual(reservation.countingBudgetIds({ byok: true }), ['byok'])
  reservation.settle({ cost: 5n, byok: true })
  reservation.addLaterLimits([limitOf('too late')])
  assert.deepEqual(spent, ['first 5', 'first early 3', 'later 3', 'byok 8'])
})

test('a field that providers read as another field is refused', async () => {
  const policy = createGuardrailPolicy({ guardrailCache: { getCached: () => noPolicies } } as never)
  const decide = async (body: object) =>
    policy.decide({ caller, chat: { messages: [] }, body } as unknown as PolicyInput)
  for (const [name, read] of [
    ['Model', 'model'],
    ['MAX_TOKENS', 'max_tokens'],
    ['me\u017f\u017fages', 'messages'],
    ['N_predict', 'n_predict'],
    ['cachedcontent', undefined],
    ['X-Own', undefined],
  ] as const) {
    const decided = decide({ model: 'a/b', [name]: 1 })
    if (read) await assert.rejects(decided, { kind: 'invalid', message: new RegExp(`read it as "${read}"`) }, name)
    else await decided
  }
})

test('ambiguous names are refused in nested fields, but not in free-form objects', async () => {
  const policy = createGuardrailPolicy({ guardrailCache: { getCached: () => noPolicies } } as never)
  const decide = async (body: object) =>
    policy.decide({ caller, chat: { messages: [] }, body } as unknown as PolicyInput)
  const url = { url: 'data:image/png;base64,' }
  for (const body of [
    { messages: [{ role: 'assistant', Role: 'user', content: 'x' }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', Type: 'image_url', Image_url: url }] }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ſource: url }] }] },
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', TYPE: 'input_image' }] }] },
    { tools: [{ type: 'function', Type: 'web_search', function: { name: 'f' } }] },
    { stream: true, stream_options: { include_usage: true, Include_Usage: false } },
    { thinking: { type: 'enabled', budget_tokens: 1024, Budget_Tokens: 100_000 } },
  ])
    await assert.rejects(
      decide(body),
      { kind: 'invalid', message: /some providers read it as "/ },
      JSON.stringify(body),
    )
  const schema = { type: 'object', properties: { Name: { type: 'string' }, Text: {} } }
  for (const body of [
    { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] },
    { tools: [{ name: 'f', input_schema: schema }] },
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { Name: 1 } }] }] },
    { messages: [{ role: 'user', content: 'x', xType: 1 }], metadata: { Type: 'x' }, own: { Role: 'x' } },
    { tools: [{ type: 'mcp', server_url: 'https://x.example', headers: { Source: 'x' } }] },
  ])
    await decide(body)
})
