import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Account, type Exchange } from './account.ts'
import type { Granted } from './store.ts'

type Asked = { report: Parameters<Exchange>[0]; grant: (granted: bigint) => void; fail: () => void }

/** An account whose database answers when the test says so. */
function openAccount(now = () => 0) {
  const asked: Asked[] = []
  const exchange: Exchange = (report) => {
    const { promise, resolve, reject } = Promise.withResolvers<Granted>()
    const grant = (granted: bigint) => resolve({ granted, spent: 0n, free: 1000n, others: 0n, at: now() })
    asked.push({ report, grant, fail: () => reject(new Error('The database is away.')) })
    return promise
  }
  return { account: new Account(exchange, 1000, now), asked }
}

test('what was granted is held in every report that comes after, also in one that had to wait for the grant', async () => {
  const { account, asked } = openAccount()
  const reserved = account.reserve(10n)
  const reports = [account.report(true), account.report(true)]
  await turn()
  asked[0]?.grant(30n)
  await turn()
  assert.equal(await reserved, 'granted')
  assert.equal(asked[1]?.report.held, 30n)
  asked[1]?.grant(0n)
  await turn()
  assert.equal(asked.length, 3)
  assert.equal(asked[2]?.report.held, 30n)
  asked[2]?.grant(0n)
  await Promise.all(reports)
})

test('what is spent while a report is under way is in the next one, and a report that failed is made again', async () => {
  const { account, asked } = openAccount()
  const reserved = account.reserve(10n)
  asked[0]?.grant(10n)
  assert.equal(await reserved, 'granted')
  account.settle(10n, 4n, 1000n)
  const first = account.report(true)
  account.take(6n)
  account.settle(6n, 5n, 1000n)
  asked[1]?.fail()
  await assert.rejects(first)
  const second = account.report(true)
  assert.deepEqual(asked[2]?.report, { spent: 9n, held: 1n, need: 0n })
  asked[2]?.grant(0n)
  await second
})

test('an account is not idle while a report of it is under way', async () => {
  const { account, asked } = openAccount()
  const reserved = account.reserve(10n)
  asked[0]?.grant(10n)
  await reserved
  account.settle(10n, 10n, 1000n)
  const report = account.report(false)
  assert.equal(account.isIdle, false)
  asked[1]?.fail()
  await assert.rejects(report)
  assert.equal(account.isIdle, false)
  const again = account.report(false)
  asked[2]?.grant(0n)
  await again
  assert.equal(account.isIdle, true)
})

/** A bank of one limit, whose answers to several servers come after random delays. */
function bankOf(limit: bigint, delay: () => Promise<unknown>) {
  let spent = 0n
  const leases = new Map<number, bigint>()
  return (server: number): Exchange =>
    async (report) => {
      await delay()
      spent += report.spent
      const others = [...leases].reduce((sum, [other, held]) => (other === server ? sum : sum + held), 0n)
      const free = limit - spent - others - report.held
      const granted = free >= report.need && report.need > 0n ? report.need + (free - report.need) / 4n : 0n
      leases.set(server, report.held + granted)
      await delay()
      return { granted, spent, free: free - granted, others, at: 0 }
    }
}

test('servers that reserve, settle and report in any order never have more than the limit between them', async () => {
  const random = seeded(7)
  const delay = async () => {
    for (let ticks = random() * 12; ticks > 0; ticks--) await undefined
  }
  for (let round = 0; round < 150; round++) {
    const limit = 400n
    const bank = bankOf(limit, delay)
    const servers = [0, 1, 2].map((server) => new Account(bank(server), 1000, () => 0))
    let [spentOrReserved, most] = [0n, 0n]
    const request = async (account: Account) => {
      const need = BigInt(1 + Math.floor(random() * 20))
      await delay()
      if ((await account.reserve(need)) !== 'granted') return
      spentOrReserved += need
      if (spentOrReserved > most) most = spentOrReserved
      await delay()
      const cost = random() < 0.5 ? need : need / 2n
      spentOrReserved -= need - cost
      account.settle(need, cost, 10n)
      if (random() < 0.5) account.report(random() < 0.5)
    }
    const requests = Array.from({ length: 60 }, (_, i) => request(servers[i % 3] as Account))
    await Promise.race([Promise.all(requests), turn()])
    for (const account of servers) account.giveUp(new Error('over'))
    await Promise.allSettled(requests)
    assert.ok(most <= limit, `round ${round}: ${most} of ${limit}`)
  }
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  }
}
