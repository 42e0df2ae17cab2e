import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import { dayOf } from '../days.ts'
import { readGroupSpending } from './group-spending.ts'

onEachDatabase('the spending of a session or tag value', (kind) => {
  test('is the sum of its requests since a day, with own credentials and margins apart', async () => {
    await using store = await newDb(kind)
    const tagged = (value: string) => ({ tags: [['customer', value]] as const })
    const dayBefore = at - 86_400_000
    await writeGenerations(store, [
      generation({ sessionId: 's', cost: 1n, ...tagged('acme') }),
      generation({ sessionId: 's', cost: 10n, margin: 100n, byok: true, ...tagged('acme') }),
      generation({ sessionId: 's', cost: 1000n, createdAt: dayBefore, ...tagged('acme') }),
      generation({ sessionId: 's', cost: 10_000n, ...tagged('other'), caller: { ...caller, keyHash: 'k' } }),
      generation({ sessionId: 't', cost: 5n, caller: { ...caller, workspaceId: 'another' }, ...tagged('acme') }),
    ])
    const group = { workspaceId: 'workspace', assignedTo: undefined }
    const session = { ...group, grouping: { by: 'session' }, value: 's' } as const
    const tag = { ...group, grouping: { by: 'tag', name: 'customer' }, value: 'acme' } as const
    const today = dayOf(at)
    const byok = { byok: 10n, byokMargin: 100n, margin: 0n }
    assert.deepEqual(await readGroupSpending(store, session, today), { operator: 10_001n, ...byok })
    assert.deepEqual(await readGroupSpending(store, tag, today), { operator: 1n, ...byok })
    assert.deepEqual(await readGroupSpending(store, tag, 0), { operator: 1001n, ...byok })
  })
})
