import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { candidateOf, endpointOf, planInput, pricesOf } from '#test/harness/upstream/endpoints/candidates.ts'
import { planAttempts } from './plan-attempts.ts'

type Situation = Parameters<typeof planInput>[0]
const providersOf = (situation: Situation) =>
  planAttempts(planInput(situation)).targets.map(({ endpoint }) => endpoint.tag)
const why = (situation: Situation) =>
  planAttempts(planInput(situation)).excludedTargets.map(({ target, reason }) => [target.endpoint.tag, reason])

const [north, south, west] = ['north', 'south', 'west'].map((name) => endpointOf(name))
const all = [north!, south!, west!]
const cheap = endpointOf('cheap', { prices: pricesOf(1, 1) })
const middle = endpointOf('middle', { prices: pricesOf(2, 2) })
const dear = endpointOf('dear', { prices: pricesOf(4, 4) })
const priced = [dear, cheap, middle]
const speeds = {
  dear: { latencyMs: 100, throughput: 90 },
  cheap: { latencyMs: 300, throughput: 30 },
  middle: { latencyMs: 200, throughput: 60 },
}

describe('a plan', () => {
  test('is deterministic, and has each endpoint once, as a target or excluded', () => {
    const situation = fc.record({
      seed: fc.nat(),
      endpoints: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
          price: fc.double({ min: 0, max: 50, noNaN: true }),
        }),
        { selector: ({ name }) => name },
      ),
      shut: fc.subarray(['a', 'b', 'c', 'd']),
      barred: fc.subarray(['c', 'd', 'e']),
      only: fc.option(fc.subarray(['a', 'b', 'c']), { nil: undefined }),
      order: fc.option(fc.subarray(['b', 'e', 'f']), { nil: undefined }),
      sort: fc.constantFrom(undefined, 'price' as const, 'latency' as const, 'throughput' as const),
    })
    fc.assert(
      fc.property(situation, ({ seed, endpoints, shut, barred, only, order, sort }) => {
        const created = endpoints.map(({ name, price }) => endpointOf(name, { prices: pricesOf(price, price) }))
        const standings = Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e'].map((name) => [
            name,
            { circuit: barred.includes(name) ? 'unavailable' : shut.includes(name) ? 'open' : 'troubled' } as const,
          ]),
        )
        const plan = () =>
          planAttempts(planInput({ endpoints: created, seed, standings, provider: { only, order, sort } }))
        const first = plan()
        assert.deepEqual(plan(), first)
        const { targets, excludedTargets } = first
        const named = [...targets, ...excludedTargets.map(({ target }) => target)].map(({ endpoint }) => endpoint.tag)
        assert.deepEqual(named.toSorted(), endpoints.map(({ name }) => name).toSorted())
      }),
    )
  })

  test('draws the first by 1/price²: half the price wins four times as often', () => {
    let first = 0
    for (let seed = 0; seed < 5000; seed++)
      if (providersOf({ endpoints: [middle, cheap], seed })[0] === 'cheap') first++
    // 4,000 are expected; the standard deviation is 28.
    assert.ok(Math.abs(first - 4000) < 140, `${first} of 5,000`)
  })

  test('draws by weight instead of price where the catalogue says it; weight 0 is last', () => {
    const weighted = (name: string, weight?: number) => ({ ...endpointOf(name, { prices: pricesOf(1, 1) }), weight })
    const endpoints = [weighted('often', 9), weighted('rare'), weighted('never', 0), { ...cheap, weight: 0 }]
    let often = 0
    for (let seed = 0; seed < 2000; seed++) {
      const order = providersOf({ endpoints: endpoints as never, seed })
      if (order[0] === 'often') often++
      assert.deepEqual(order.slice(2), ['never', 'cheap'])
    }
    // 1,800 are expected; the standard deviation is 13.
    assert.ok(Math.abs(often - 1800) < 65, `${often} of 2,000`)
  })

  test('gives paid endpoints a share beside a free one', () => {
    const free = endpointOf('free', { prices: pricesOf(0, 0) })
    const paid = endpointOf('paid', { prices: pricesOf(0.01, 0.01) })
    const firsts = new Set(Array.from({ length: 50 }, (_, seed) => providersOf({ endpoints: [free, paid], seed })[0]))
    assert.deepEqual(firsts, new Set(['free', 'paid']))
  })

  test('ranks endpoints with recent failures last, however cheap', () => {
    for (let seed = 0; seed < 50; seed++)
      assert.equal(
        providersOf({ endpoints: priced, seed, standings: { cheap: { circuit: 'troubled' as const } } }).at(-1),
        'cheap',
      )
  })

  test('follows an explicit order despite failures, and then lists the others', () => {
    const order = ['west', 'north']
    const standings = { west: { circuit: 'troubled' as const } }
    assert.deepEqual(providersOf({ endpoints: all, provider: { order }, standings }), ['west', 'north', 'south'])
    assert.deepEqual(providersOf({ endpoints: all, provider: { order, allow_fallbacks: false } }), order)
  })

  test('ranks open circuits last, whatever the order, across models', () => {
    const standings = { west: { circuit: 'open' as const } }
    assert.deepEqual(providersOf({ endpoints: all, provider: { order: ['west', 'north'] }, standings }), [
      'north',
      'south',
      'west',
    ])
    const candidates = [candidateOf([west!], 'a/m'), candidateOf([cheap], 'a/n')]
    assert.deepEqual(providersOf({ candidates, standings }), ['cheap', 'west'])
    assert.deepEqual(providersOf({ endpoints: [west!], standings }), ['west'])
  })

  test('reports why endpoints rank lower: failures, open circuits, preferred speed', () => {
    const notes = (situation: Situation) =>
      Object.fromEntries(planAttempts(planInput(situation)).lowerRankReasons ?? [])
    const standings = { north: { circuit: 'troubled' }, south: { circuit: 'open' } } as const
    assert.deepEqual(notes({ endpoints: all }), {})
    assert.deepEqual(notes({ endpoints: all, standings }), { [north!.id]: 'troubled', [south!.id]: 'circuit_shut' })
    assert.deepEqual(notes({ endpoints: all, standings, provider: { order: ['north'] } }), {
      [south!.id]: 'circuit_shut',
    })
    assert.deepEqual(notes({ endpoints: [north!], standings }), {})
    const wished = { preferred_max_latency: 0.25 }
    assert.deepEqual(notes({ endpoints: priced, standings: speeds, provider: wished }), { [cheap.id]: 'slow' })
  })

  test('without fallbacks excludes the others for that reason', () => {
    assert.deepEqual(why({ endpoints: priced, provider: { order: ['dear'], allow_fallbacks: false } }), [
      ['cheap', 'provider_not_listed'],
      ['middle', 'provider_not_listed'],
    ])
    const reasons = why({ endpoints: priced, provider: { allow_fallbacks: false } }).map(([, reason]) => reason)
    assert.deepEqual(reasons, ['no_fallbacks', 'no_fallbacks'])
  })

  test('without fallbacks has only the first endpoint of each model', () => {
    const models = [candidateOf(all, 'a/m'), candidateOf([cheap], 'a/n')]
    const targets = planAttempts(planInput({ candidates: models, provider: { allow_fallbacks: false } })).targets
    assert.deepEqual(
      targets.map(({ model }) => model.id),
      ['a/m', 'a/n'],
    )
  })

  test('sorts by price, latency or throughput despite failures, unmeasured last', () => {
    const standings = { ...speeds, dear: { ...speeds.dear, circuit: 'troubled' as const } }
    const by = (sort: 'price' | 'latency' | 'throughput') =>
      providersOf({
        endpoints: [...priced, endpointOf('unknown', { prices: pricesOf(9, 9) })],
        standings,
        provider: { sort },
      })
    assert.deepEqual(by('price'), ['cheap', 'middle', 'dear', 'unknown'])
    assert.deepEqual(by('latency'), ['dear', 'middle', 'cheap', 'unknown'])
    assert.deepEqual(by('throughput'), ['dear', 'middle', 'cheap', 'unknown'])
  })

  test('groups endpoints by model, unless partition is none', () => {
    const models = [candidateOf([dear, middle], 'a/m'), candidateOf([cheap], 'a/n')]
    const sorted = (partition: 'model' | 'none') =>
      providersOf({ candidates: models, provider: { sort: { by: 'price', partition } } })
    assert.deepEqual(sorted('model'), ['middle', 'dear', 'cheap'])
    assert.deepEqual(sorted('none'), ['cheap', 'middle', 'dear'])
  })

  test('uses the sort of a model variant if the request has none', () => {
    const floor = candidateOf(priced, 'a/m', 'price')
    assert.deepEqual(providersOf({ candidates: [floor] }), ['cheap', 'middle', 'dear'])
    assert.equal(providersOf({ candidates: [floor], standings: speeds, provider: { sort: 'latency' } })[0], 'dear')
  })

  test('ranks endpoints that miss a preferred speed last', () => {
    const fast = (provider: Situation['provider']) => providersOf({ endpoints: priced, standings: speeds, provider })
    assert.equal(fast({ preferred_min_throughput: 80 })[0], 'dear')
    assert.equal(fast({ preferred_max_latency: { p50: 0.15 } })[0], 'dear')
    assert.equal(fast({ preferred_min_throughput: 80 }).length, 3)
  })

  const policies = endpointOf('trains', { trainsOnData: true })
  const exclusions: [string, Situation, string[][]][] = [
    ['an ignored provider', { endpoints: all, provider: { ignore: ['SOUTH'] } }, [['south', 'provider_ignored']]],
    [
      'all but the listed ones',
      { endpoints: [north!, south!], provider: { only: ['north'] } },
      [['south', 'provider_not_listed']],
    ],
    [
      'an endpoint that trains on data',
      { endpoints: [policies], provider: { data_collection: 'deny' } },
      [['trains', 'data_policy']],
    ],
    ['an endpoint that retains data', { endpoints: [north!], provider: { zdr: true } }, [['north', 'data_policy']]],
    [
      'another quantization',
      { endpoints: [north!], provider: { quantizations: ['fp8'] } },
      [['north', 'quantization']],
    ],
    [
      'an endpoint without a required parameter',
      { endpoints: [north!], needs: { required: ['audio'] } },
      [['north', 'unsupported_parameter']],
    ],
    [
      'an endpoint without any parameter, with require_parameters',
      { endpoints: [north!], needs: { parameters: ['seed'] }, provider: { require_parameters: true } },
      [['north', 'unsupported_parameter']],
    ],
    [
      'a model that takes no images',
      { endpoints: [north!], needs: { inputModalities: ['image'] } },
      [['north', 'unsupported_input']],
    ],
    [
      'too small a context',
      { endpoints: [north!], needs: { promptTokens: 100_001 } },
      [['north', 'context_too_small']],
    ],
    [
      'an endpoint above max_price',
      { endpoints: priced, provider: { max_price: { prompt: 2, completion: '3' } } },
      [['dear', 'too_expensive']],
    ],
    ['an endpoint without a credential', { endpoints: all, unconfigured: ['west'] }, [['west', 'unconfigured']]],
    [
      'an endpoint that is paused',
      { endpoints: all, standings: { north: { circuit: 'unavailable' as const } } },
      [['north', 'unavailable_now']],
    ],
  ]
  for (const [what, situation, excluded] of exclusions) {
    test(`excludes ${what}, with the reason`, () => assert.deepEqual(why(situation), excluded))
  }

  test('keeps an endpoint at exactly max_price despite rounding', () => {
    const exact = endpointOf('exact', { prices: { prompt: '0.000000038', completion: '0.000000013' } })
    const wished = (max_price: { prompt: number; completion?: number }) =>
      providersOf({ endpoints: [exact], provider: { max_price } })
    assert.deepEqual(wished({ prompt: 0.038, completion: 0.013 }), ['exact'])
    assert.deepEqual(wished({ prompt: 0.0379 }), [])
  })

  test('matches a tag to one of several endpoints of a provider', () => {
    const [fast, plain] = [endpointOf('deep', { tag: 'deep/fp8' }), endpointOf('deep')]
    assert.deepEqual(providersOf({ endpoints: [plain, fast], provider: { only: ['deep/fp8'] } }), ['deep/fp8'])
    assert.equal(providersOf({ endpoints: [plain, fast], provider: { only: ['deep'] } }).length, 2)
  })

  test('ignores unsupported optional parameters without require_parameters', () =>
    assert.deepEqual(providersOf({ endpoints: [north!], needs: { parameters: ['seed'] } }), ['north']))
})
