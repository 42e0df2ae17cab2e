import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openDb } from '#platform/db/open.ts'
import { newTestStore } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import type { Budget } from '../budget.ts'
import { insertPeriod, readSpendingOfPeriods } from '../rows/spending-rows.ts'
import { createGuardrailAccounts, withGuardrailAccounts } from './guardrail-accounts.ts'

const guardrail = (spender: 'a' | 'b', limit: bigint): Budget => ({
  id: `guardrail:g:key:${spender}`,
  subject: {
    ...({ kind: 'guardrail', guardrailId: 'g', workspaceId: 'w', createdAt: 0, isDefault: false } as const),
    spender: { kind: 'key', hash: spender },
  },
  limit,
  interval: null,
  includesByok: false,
})
const pool: Budget = {
  id: 'guardrail:g',
  subject: { kind: 'pool', pool: { kind: 'workspace', id: 'w' }, account: 'guardrail:g', createdAt: 0 },
  limit: 9n,
  interval: null,
  includesByok: false,
}

const unsettled = { settle() {}, settleEarly: () => ({ record() {} }) }

function reservations(areShared: () => boolean) {
  const created: (readonly Budget[])[] = []
  const sharing = withGuardrailAccounts(
    {
      async reserve(budgets) {
        created.push(budgets)
        return { reservation: unsettled }
      },
      openReservation(budget) {
        created.push([budget])
        return unsettled
      },
    },
    { areShared },
  )
  return { ...sharing, created, reserve: (...budgets: Budget[]) => sharing.reserve(budgets, 1n) }
}

const accountsOf = (budgets: readonly Budget[]) => budgets.map(({ id, limit }) => [id, limit])

test('beside older servers a guardrail has one account, with the lowest of its limits', () => {
  const { created, reserve, openReservation } = reservations(() => true)
  reserve(pool, guardrail('a', 5n), guardrail('b', 7n))
  openReservation(guardrail('a', 5n))
  assert.deepEqual(created.map(accountsOf), [[['guardrail:g', 5n]], [['guardrail:g', 5n]]])
})

test('beside older servers the same budget reserves from the same account object', () => {
  const { created, reserve } = reservations(() => true)
  const budget = guardrail('a', 5n)
  reserve(budget)
  reserve(budget)
  assert.equal(created[0]![0], created[1]![0])
})

test('without older servers each key has its account', () => {
  const { created, reserve } = reservations(() => false)
  reserve(pool, guardrail('a', 5n))
  assert.deepEqual(created.map(accountsOf), [
    [
      ['guardrail:g', 9n],
      ['guardrail:g:key:a', 5n],
    ],
  ])
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('accounts are separate after the last older server left', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const testStore = await newTestStore('postgres')
  stack.defer(testStore.remove)
  const db = await openDb(testStore.settings)
  stack.defer(db.close)
  const older = new pg.Client({
    connectionString: testStore.settings.database_url!,
    application_name: 'signalbox signals',
  })
  await older.connect()
  await db.exclusively('test', (tx) => insertPeriod(tx, 'guardrail:g:key:a', 0, 3n))
  await db.exclusively('test', (tx) => insertPeriod(tx, 'guardrail:g', 0, 3n))
  let look = () => {}
  let elapsed = 0
  const every = (_ms: number, work: () => void) => {
    look = work
    return () => {
      look = () => {}
    }
  }
  const errors: string[] = []
  const exclusively: typeof db.exclusively = async (lock, work) => {
    if (errors.length === 0) throw new Error('the database restarts')
    return db.exclusively(lock, work)
  }
  let separate = 0
  const accounts = await createGuardrailAccounts({
    db: { ...db, exclusively },
    every,
    elapsed: () => elapsed,
    onSeparate: () => separate++,
    onError: ({ message }: Error) => errors.push(message),
  })
  assert.equal(accounts.areShared(), true)
  await older.end()
  const spent = async (account: string) => (await readSpendingOfPeriods(db.query, account, [0])).get(0)
  await until(async () => {
    elapsed += 5000
    look()
    return !accounts.areShared()
  })
  await until(async () => {
    elapsed += 30_000
    look()
    return (await spent('guardrail:g:key:a')) === undefined
  })
  assert.deepEqual([separate, await spent('guardrail:g')], [1, 3n])
  assert.deepEqual(errors, ['the database restarts'], 'a failed attempt is repeated')
})

test('accounts are separate from the start where no older server runs', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const testStore = await newTestStore('postgres')
  stack.defer(testStore.remove)
  const db = await openDb(testStore.settings)
  stack.defer(db.close)
  const every = () => assert.fail('no watch should start')
  const accounts = await createGuardrailAccounts({
    db,
    every,
    elapsed: () => 0,
    onSeparate: assert.fail,
    onError: assert.fail,
  })
  assert.equal(accounts.areShared(), false)
})
