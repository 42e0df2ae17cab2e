import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CompiledQuery } from '#platform/db/kysely.ts'
import { up } from '#platform/db/migrations/0021_request_log.ts'
import { openDb } from '#platform/db/open.ts'
import { newDb, newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import type { Generation } from '../generation.ts'
import { findGeneration } from '../read-generations.ts'
import type { GenerationFilter } from './generation-filter.ts'
import { listGenerations } from './list-generations.ts'
import type { RequestReader } from './visibility.ts'

type Store = Awaited<ReturnType<typeof newDb>>

/** The ids on all pages, the ends of the pages, and the number of pages. */
async function allPages(
  store: Store,
  filter: GenerationFilter,
  { limit = 100, examined, who = caller }: { limit?: number; examined?: number; who?: RequestReader } = {},
) {
  const ids: string[] = []
  const places: string[] = []
  for (let cursor: string | undefined, pages = 1; ; pages++) {
    const page = await listGenerations(store, who, filter, { limit, cursor }, examined)
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
    if (!cursor) return { ids, places, pages }
    places.push(Buffer.from(cursor, 'base64url').toString())
  }
}

const made = (n: number, more: (n: number) => Partial<Generation> = () => ({})) =>
  Array.from({ length: n }, (_, i) => generation({ createdAt: at + i, ...more(i) }))

onEachDatabase('the request log', (kind) => {
  test('pages go from newest to oldest with each request once, also at equal times', async () => {
    await using store = await newDb(kind)
    const all = made(23, (i) => ({ createdAt: at + (i >> 2) }))
    await writeGenerations(store, all)
    const { ids, pages } = await allPages(store, {}, { limit: 5 })
    assert.deepEqual([ids.length, new Set(ids).size, pages], [23, 23, 5])
    const times = ids.map((id) => all.find((one) => one.id === id)!.createdAt)
    assert.deepEqual(
      times,
      [...times].sort((a, b) => b - a),
    )
  })

  test('a search for rare rows takes bounded steps', async () => {
    await using store = await newDb(kind)
    const all = made(50, (i) => ({ provider: i % 20 === 3 ? 'rare' : 'p' }))
    await writeGenerations(store, all)
    const first = await listGenerations(store, caller, { provider: 'rare' }, { limit: 2 }, 5)
    assert.equal(first.data.length, 0)
    assert.ok(first.nextCursor)
    const { ids } = await allPages(store, { provider: 'rare' }, { limit: 2, examined: 5 })
    assert.deepEqual(ids, [all[43]!.id, all[23]!.id, all[3]!.id])
  })

  test('the search equals a scan of each request, for any filter', async () => {
    await using store = await newDb(kind)
    const guardrail = '0199a5f0-0000-7000-8000-000000000001'
    const all = made(60, (i) => ({
      outcome: (['success', 'success', 'failed', 'client_left'] as const)[i % 4]!,
      streamed: i % 3 === 0,
      sessionId: i % 5 === 0 ? `s${i % 2}` : undefined,
      cost: BigInt(i) * 10n ** 9n,
      latencyMs: i % 7 === 0 ? undefined : i * 10,
      durationMs: i * 20,
      modelId: `a/${i % 2}`,
      preset: i % 6 === 0 ? { id: 'id', slug: 'house', version: 1 } : undefined,
      ...(i % 8 === 2 && { cause: { kind: 'forbidden' as const, guardrailId: guardrail } }),
      ...(i % 9 === 1 && {
        contentFindings: [{ guardrailId: guardrail, rule: 'r', action: 'flag' as const, count: 1 }],
      }),
    }))
    await writeGenerations(store, all)
    const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
    const filters = fc.record({
      from: maybe([at, at + 7, at + 100]),
      to: maybe([at, at + 31]),
      outcome: maybe([['success'], ['failed'], ['failed', 'client_left'], ['success', 'failed']] as const),
      streamed: maybe([true, false]),
      sessionId: maybe(['s0', 's2']),
      minCost: maybe([0n, 20_000_000_000n]),
      maxCost: maybe([40_000_000_000n]),
      minLatencyMs: maybe([0, 250]),
      maxLatencyMs: maybe([400]),
      minDurationMs: maybe([100]),
      maxDurationMs: maybe([700]),
      model: maybe(['a/0', 'a/9']),
      preset: maybe(['house']),
      guardrailId: maybe([guardrail, 'none']),
      error: maybe(['forbidden']),
    })
    const plain = (f: GenerationFilter) => (one: Generation) =>
      one.createdAt >= (f.from ?? 0) &&
      one.createdAt < (f.to ?? Infinity) &&
      (!f.outcome || f.outcome.includes(one.outcome)) &&
      (f.streamed === undefined || one.streamed === f.streamed) &&
      (!f.sessionId || one.sessionId === f.sessionId) &&
      (f.minCost === undefined || one.cost >= f.minCost) &&
      (f.maxCost === undefined || one.cost <= f.maxCost) &&
      (f.minLatencyMs === undefined || (one.latencyMs ?? -1) >= f.minLatencyMs) &&
      (f.maxLatencyMs === undefined || (one.latencyMs ?? Infinity) <= f.maxLatencyMs) &&
      one.durationMs >= (f.minDurationMs ?? 0) &&
      one.durationMs <= (f.maxDurationMs ?? Infinity) &&
      (!f.model || one.modelId === f.model) &&
      (!f.preset || one.preset?.slug === f.preset) &&
      (!f.error || one.cause?.kind === f.error) &&
      (!f.guardrailId ||
        one.cause?.guardrailId === f.guardrailId ||
        !!one.contentFindings?.some(({ guardrailId }) => guardrailId === f.guardrailId))
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (filter, examined) => {
        const { ids } = await allPages(store, filter, { limit: 7, examined })
        assert.deepEqual(new Set(ids), new Set(all.filter(plain(filter)).map(({ id }) => id)))
      }),
      { numRuns: kind === 'sqlite' ? 100 : 40 },
    )
  })

  test('a page reads a limited number of rows with any combination of filters', async () => {
    await using store = await newDb(kind)
    const by = (keyHash: string, workspaceId: string) => ({ caller: { ...caller, keyHash, workspaceId } })
    const all = made(60, (i) => ({
      ...by(i % 2 ? 'k1' : 'k2', i % 2 ? 'w1' : 'w2'),
      outcome: i % 2 ? 'success' : 'failed',
      ...(i % 2 && { contentFindings: [{ guardrailId: 'g', rule: 'r', action: 'flag' as const, count: 1 }] }),
    }))
    await writeGenerations(store, all)
    const none: [GenerationFilter, RequestReader][] = [
      [
        { keyHash: 'k1', outcome: ['failed'] },
        { ...caller, keyKind: 'management' },
      ],
      [
        { keyHash: 'k1', workspaceId: 'w2' },
        { ...caller, keyKind: 'management' },
      ],
      [
        { guardrailId: 'g', outcome: ['failed'] },
        { ...caller, keyKind: 'management' },
      ],
      [{ outcome: ['failed'] }, { ...caller, workspaceId: 'w1' }],
      [{ guardrailId: 'g' }, { ...caller, workspaceId: 'w2' }],
    ]
    for (const [filter, who] of none) {
      const response = await allPages(store, filter, { who, limit: 2, examined: 5 })
      assert.deepEqual(response.ids, [], JSON.stringify(filter))
      assert.ok(response.pages >= 7, `${response.pages} pages of ${JSON.stringify(filter)}`)
    }
    // A request of another workspace's key is not found, by any filter.
    const other = await allPages(store, { keyHash: 'k1' }, { who: { ...caller, workspaceId: 'w2' }, examined: 5 })
    assert.deepEqual([other.ids, other.places], [[], []])
  })

  test('the end of a page is found in one index, with one bound at each end', async () => {
    // The plan that Postgres chooses depends on its statistics.
    if (kind === 'postgres') return
    const testStore = await newTestStore(kind)
    const statements: string[] = []
    const db = await openDb(testStore.settings, {
      onQuery: (_seconds, _outcome, _error, text = '') => statements.push(text),
    })
    await using _closed = {
      async [Symbol.asyncDispose]() {
        await db.close()
        await testStore.remove()
      },
    }
    const planOf = async (text: string) => {
      const nothing = [...text.matchAll(/\?/g)].map(() => null)
      const explained = CompiledQuery.raw(`explain query plan ${text}`, nothing)
      return (await db.query.executeQuery<{ detail: string }>(explained)).rows[0]!.detail
    }
    const reached: [GenerationFilter, string][] = [
      [{}, 'time'],
      [{ sessionId: 's', keyHash: 'k' }, 'session'],
      [{ outcome: ['failed'], workspaceId: 'w' }, 'failure'],
      [{ guardrailId: 'g', keyHash: 'k', userId: 'u' }, 'guardrail'],
      [{ keyHash: 'k', workspaceId: 'w', userId: 'u' }, 'key'],
      [{ userId: 'u', workspaceId: 'w' }, 'user'],
      [{ workspaceId: 'w', outcome: ['success'] }, 'workspace'],
    ]
    await writeGenerations(
      { db },
      made(2, () => ({ outcome: 'failed' })),
    )
    for (const [filter, index] of reached) {
      const searched = { ...filter, from: at - 1000, to: at + 1000, model: 'none' }
      const cursor = Buffer.from(`${at} gen`).toString('base64url')
      statements.length = 0
      await listGenerations({ db }, { ...caller, keyKind: 'management' }, searched, { limit: 5, cursor }, 1)
      const [where, rows] = statements
      // The plan does not name an index that contains only some rows.
      const covering = /failure|guardrail/.test(index) ? 'INDEX' : 'COVERING INDEX'
      const names = [await planOf(where!), await planOf(rows!)]
      assert.ok(names[0]!.includes(`USING ${covering} generations_by_${index} (`), names.join('\n'))
      assert.ok(names[1]!.includes(`USING INDEX generations_by_${index} (`), names.join('\n'))
      assert.ok(
        names.every((plan) => /created_at>\?( AND |.*)(created_at|\(created_at,id\))<\?/.test(plan)),
        names.join('\n'),
      )
      for (const text of [where!, rows!]) assert.equal([...text.matchAll(/created_at"? (>=?) /g)].length, 1, text)
    }
  })

  test('a caller without permission gets no rows and no cursor', async () => {
    await using store = await newDb(kind)
    const who = { ...caller, workspaceId: 'w2' }
    await writeGenerations(store, [...made(4), ...made(4, () => ({ caller: who }))])
    for (const filter of [{ workspaceId: caller.workspaceId }, { workspaceId: 'none' }])
      assert.deepEqual(await allPages(store, filter, { who, examined: 1 }), { ids: [], places: [], pages: 1 })
  })

  test('every caller gets the visible rows once, and no page ends at a hidden row', async () => {
    await using store = await newDb(kind)
    const all = made(80, (i) => ({
      caller: { ...caller, keyHash: `k${i % 5}`, workspaceId: `w${(i % 5) % 2}`, userId: `u${(i % 5) % 3}` },
      createdAt: at + (i >> 3),
      outcome: i % 3 ? 'failed' : 'success',
      sessionId: i % 7 ? undefined : 's',
      ...(i % 4 === 1 && { contentFindings: [{ guardrailId: 'g', rule: 'r', action: 'flag' as const, count: 1 }] }),
    }))
    await writeGenerations(store, all)
    const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
    const filters = fc.record({
      outcome: maybe([['failed'], ['success']] as const),
      sessionId: maybe(['s']),
      keyHash: maybe(['k0', 'k1', 'k2']),
      workspaceId: maybe(['w0', 'w1']),
      userId: maybe(['u0', 'u1']),
      guardrailId: maybe(['g']),
    })
    const viewers: [RequestReader, (one: Generation) => boolean][] = [
      [{ ...caller, keyKind: 'management' }, () => true],
      [{ ...caller, keyKind: 'api', workspaceId: 'w1' }, (one) => one.caller.workspaceId === 'w1'],
      [{ ...caller, keyKind: 'api', role: 'developer', userId: 'u1' }, (one) => one.caller.userId === 'u1'],
      [{ ...caller, keyKind: 'intern', keyHash: 'k3' }, (one) => one.caller.keyHash === 'k3'],
    ]
    const passes = (f: GenerationFilter) => (one: Generation) =>
      (!f.outcome || f.outcome.includes(one.outcome)) &&
      (!f.sessionId || one.sessionId === f.sessionId) &&
      (!f.keyHash || one.caller.keyHash === f.keyHash) &&
      (!f.workspaceId || one.caller.workspaceId === f.workspaceId) &&
      (!f.userId || one.caller.userId === f.userId) &&
      (!f.guardrailId || !!one.contentFindings)
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom(...viewers),
        fc.integer({ min: 9, max: 30 }),
        async (filter, [who, sees], examined) => {
          const { ids, places } = await allPages(store, filter, { who, limit: 7, examined })
          const expected = all.filter(sees).filter(passes(filter))
          assert.deepEqual([ids.length, new Set(ids)], [expected.length, new Set(expected.map(({ id }) => id))])
          const hidden = all.filter((one) => !sees(one)).map(({ id }) => id)
          assert.deepEqual(
            places.filter((place) => hidden.some((id) => place.includes(id))),
            [],
          )
        },
      ),
      { numRuns: kind === 'sqlite' ? 100 : 40 },
    )
  })

  test('a page continues even if one millisecond has more rows than a page', async () => {
    await using store = await newDb(kind)
    const all = made(20, (i) => ({
      createdAt: at,
      outcome: 'failed',
      caller: { ...caller, workspaceId: i % 10 ? 'w1' : 'w2' },
    }))
    await writeGenerations(store, all)
    const { ids } = await allPages(
      store,
      { outcome: ['failed'] },
      { who: { ...caller, workspaceId: 'w2' }, examined: 3 },
    )
    assert.deepEqual(new Set(ids), new Set([all[0]!.id, all[10]!.id]))
    assert.equal(ids.length, 2)
  })

  test('an API key sees its workspace, a management key all, an intern its own', async () => {
    await using store = await newDb(kind)
    const by = (more: object) => generation({ caller: { ...caller, ...more } })
    const [mine, colleague, elsewhere, foreign] = [
      by({}),
      by({ keyHash: 'other' }),
      by({ keyHash: 'other', workspaceId: 'w2' }),
      by({ organizationId: 'o2', workspaceId: 'w3', keyHash: 'x' }),
    ]
    await writeGenerations(store, [mine, colleague, elsewhere, foreign])
    const seen = async (keyKind: 'api' | 'management' | 'intern') => {
      const { data } = await listGenerations(store, { ...caller, keyKind }, {}, { limit: 10 })
      return new Set(data.map(({ id }) => id))
    }
    assert.deepEqual(await seen('intern'), new Set([mine.id]))
    assert.deepEqual(await seen('api'), new Set([mine.id, colleague.id]))
    assert.deepEqual(await seen('management'), new Set([mine.id, colleague.id, elsewhere.id]))
  })

  test('a developer sees no request as a member of another organization', async () => {
    await using store = await newDb(kind)
    const elsewhere = { organizationId: 'o2', workspaceId: 'w2', keyHash: 'x' }
    const [mine, foreign] = [generation(), generation({ caller: { ...caller, ...elsewhere } })]
    await writeGenerations(store, [mine, foreign])
    const developer: RequestReader = { ...caller, keyKind: 'api', role: 'developer' }
    assert.deepEqual((await allPages(store, {}, { who: developer })).ids, [mine.id])
    const ofForeignKey = await allPages(store, { keyHash: 'x' }, { who: developer, examined: 1 })
    assert.deepEqual(ofForeignKey, { ids: [], places: [], pages: 1 })
    assert.equal((await findGeneration(store, developer, mine.id)).id, mine.id)
    await assert.rejects(findGeneration(store, developer, foreign.id), /Generation not found/)
  })

  test('older requests are found by their records', async () => {
    await using store = await newDb(kind)
    const guardrailId = '0199a5f0-0000-7000-8000-000000000001'
    const failure = { outcome: 'failed' as const, cause: { kind: 'forbidden' as const, guardrailId }, streamed: false }
    const all = [
      generation({ latencyMs: undefined, durationMs: 0, provider: undefined, ...failure }),
      generation({ preset: { id: 'id', slug: 'house', version: 1 }, outcome: 'client_left', latencyMs: 12.4 }),
      generation(),
    ]
    await writeGenerations(store, all)
    const rows = () => store.db.query.selectFrom('generations').selectAll().orderBy('id').execute()
    const written = await rows()
    const { schema } = store.db.query
    for (const index of ['workspace', 'key', 'session', 'failure', 'guardrail'])
      await schema.dropIndex(`generations_by_${index}`).execute()
    const added = ['outcome', 'provider', 'preset', 'error', 'guardrails', 'streamed', 'latency_ms', 'duration_ms']
    for (const column of added) await schema.alterTable('generations').dropColumn(column).execute()
    await up(store.db.query as never)
    assert.deepEqual(await rows(), written)
  })

  test('an invalid cursor is refused', async () => {
    await using store = await newDb(kind)
    for (const cursor of ['', 'x', Buffer.from("1 x' or 1=1").toString('base64url')]) {
      await assert.rejects(listGenerations(store, caller, {}, { limit: 1, cursor }), /next_cursor of an earlier page/)
    }
  })
})
