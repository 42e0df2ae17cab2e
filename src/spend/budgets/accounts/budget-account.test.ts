import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Grant } from '../leases/lease-exchange.ts'
import { BudgetAccount, type Exchange } from './budget-account.ts'

const newAccount = (exchange: Exchange) =>
  new BudgetAccount({ exchange, waitMs: 1000, stallMs: 1000, elapsed: () => 0 })

type Asked = { report: ReturnType<Parameters<Exchange>[0]>; grant: (granted: bigint) => void; fail: () => void }

/** An account whose database answers when the test allows it. */
function openAccount() {
  const requests: Asked[] = []
  const exchange: Exchange = (say) => {
    const report = say()
    const { promise, resolve, reject } = Promise.withResolvers<Grant>()
    const ended = report.held === 0n && report.total === report.confirmed
    const grant = (granted: bigint) =>
      resolve({
        granted,
        free: 1000n,
        heldByOthers: 0n,
        heldByUnresponsive: 0n,
        at: 0,
        isCurrentPeriod: true,
        isLeaseEnded: ended && granted === 0n,
      })
    requests.push({ report, grant, fail: () => reject(new Error('The database is away.')) })
    return promise
  }
  return { account: newAccount(exchange), requests }
}

test('a grant is included in every later report, also in a delayed one', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  const reports = [account.reportInUse(30n), account.reportInUse(30n)]
  await turn()
  requests[0]?.grant(30n)
  await turn()
  assert.equal(await reserved, 'granted')
  assert.equal(requests[1]?.report.held, 30n)
  requests[1]?.grant(0n)
  await turn()
  assert.equal(requests.length, 3)
  assert.equal(requests[2]?.report.held, 30n)
  requests[2]?.grant(0n)
  await Promise.all(reports)
})

test('spending is reported as held until the ledger has it', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(20n)
  await reserved
  const attempt = account.settleEarly(10n, 4n)
  account.tryReserve(5n)
  account.settle(5n, 3n)
  const reported = async () => {
    const { recorded } = account.spending
    const report = account.reportInUse(30n)
    requests.at(-1)?.grant(0n)
    await report
    account.spending.noteWritten(recorded)
    const { total, held, unwritten } = requests.at(-1)!.report
    return { total, held, unwritten }
  }
  assert.deepEqual(await reported(), { total: 0n, held: 20n, unwritten: 7n })
  assert.deepEqual(await reported(), { total: 3n, held: 17n, unwritten: 4n })
  assert.equal(account.spending.unwritten, 4n)
  attempt.record()
  await reported()
  assert.deepEqual(await reported(), { total: 7n, held: 13n, unwritten: 0n })
  assert.equal(account.spending.unwritten, 0n)
})

test('all that was spent is in every report, with how much of it was confirmed', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(10n)
  assert.equal(await reserved, 'granted')
  account.settle(10n, 4n)
  account.spending.noteWritten(4n)
  const first = account.reportInUse(30n)
  account.tryReserve(6n)
  account.settle(6n, 5n)
  account.spending.noteWritten(9n)
  requests[1]?.fail()
  await assert.rejects(first)
  const second = account.reportInUse(30n)
  assert.deepEqual(requests[2]?.report, { total: 9n, confirmed: 0n, held: 1n, unwritten: 0n, need: 0n, totalNeed: 0n })
  requests[2]?.grant(0n)
  await second
  account.reportInUse(30n)
  assert.deepEqual(requests[3]?.report, { total: 9n, confirmed: 9n, held: 1n, unwritten: 0n, need: 0n, totalNeed: 0n })
})

test('an idle reserve is returned: all without recent requests, else the surplus', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(100n)
  await reserved
  const answered = async (inUse: boolean) => {
    const report = inUse ? account.reportInUse(30n) : account.reportUnused()
    requests.at(-1)?.grant(0n)
    await report
    return requests.at(-1)?.report.held
  }
  // Since the last report 10 were in use and still are; everything else was granted in between.
  assert.equal(await answered(true), 100n)
  account.tryReserve(20n)
  account.settle(20n, 0n)
  assert.equal(await answered(true), 10n + 20n + 30n)
  assert.equal(await answered(false), 10n)
})

test('a grant under a limit that was lowered meanwhile is returned', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(50n)
  await reserved
  const report = account.reportInUse(100n)
  account.revoke()
  requests[1]?.grant(7n)
  await report
  assert.equal(account.tryReserve(1n), false)
  account.reportInUse(100n)
  assert.equal(requests.at(-1)?.report.held, 10n)
})

test('an insufficient reserve is returned with the next request', async () => {
  const { account, requests } = openAccount()
  const first = account.reserve(10n, 1000n)
  requests[0]?.grant(15n)
  await first
  account.reserve(8n, 1000n)
  await turn()
  assert.deepEqual(requests[1]?.report, { total: 0n, confirmed: 0n, held: 10n, unwritten: 0n, need: 8n, totalNeed: 8n })
})

test('an account is not idle during a report', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(10n)
  await reserved
  account.settle(10n, 10n)
  account.spending.noteWritten(10n)
  const report = account.reportUnused()
  assert.equal(account.isIdle, false)
  requests[1]?.fail()
  await assert.rejects(report)
  assert.equal(account.isIdle, false)
  const secondReport = account.reportUnused()
  requests[2]?.grant(0n)
  await secondReport
  // The database keeps the row until the server confirms it.
  assert.equal(account.isIdle, false)
  const last = account.reportUnused()
  requests[3]?.grant(0n)
  await last
  assert.equal(account.isIdle, true)
})

/** The database side of one limit. Its responses to several servers arrive after random delays. */
function bankOf(limit: bigint, delay: () => Promise<unknown>) {
  let spent = 0n
  const leases = new Map<number, bigint>()
  const totals = new Map<number, bigint>()
  return (server: number): Exchange =>
    async (say) => {
      await delay()
      const report = say()
      spent += report.total - (totals.get(server) ?? 0n)
      totals.set(server, report.total)
      const others = [...leases].reduce((sum, [other, held]) => (other === server ? sum : sum + held), 0n)
      const free = limit - spent - others - report.held
      const granted = free >= report.need && report.need > 0n ? report.need + (free - report.need) / 4n : 0n
      leases.set(server, report.held + granted)
      await delay()
      return {
        granted,
        free: free - granted,
        heldByOthers: others,
        heldByUnresponsive: 0n,
        at: 0,
        isCurrentPeriod: true,
        isLeaseEnded: false,
      }
    }
}

test('concurrent servers never hold more than the limit together', async () => {
  const random = seeded(7)
  const delay = async () => {
    for (let ticks = random() * 12; ticks > 0; ticks--) await undefined
  }
  for (let round = 0; round < 150; round++) {
    const limit = 400n
    const bank = bankOf(limit, delay)
    const servers = [0, 1, 2].map((server) => newAccount(bank(server)))
    let [spentOrReserved, most] = [0n, 0n]
    const request = async (account: BudgetAccount) => {
      const need = BigInt(1 + Math.floor(random() * 20))
      await delay()
      if ((await account.reserve(need, 1000n)) !== 'granted') return
      spentOrReserved += need
      if (spentOrReserved > most) most = spentOrReserved
      await delay()
      const cost = random() < 0.5 ? need : need / 2n
      spentOrReserved -= need - cost
      account.settle(need, cost)
      if (random() < 0.5) account.spending.noteWritten(account.spending.recorded)
      if (random() < 0.5) random() < 0.5 ? account.reportInUse(5n) : account.reportUnused()
    }
    const requests = Array.from({ length: 60 }, (_, i) => request(servers[i % 3] as BudgetAccount))
    await Promise.race([Promise.all(requests), turn()])
    for (const account of servers) account.failWaiting(new Error('over'))
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

test('an account stays open only while a request waits for it', async () => {
  const { account, requests } = openAccount()
  assert.equal(account.hasWaiting, false)
  const reserved = account.reserve(10n, 1000n)
  assert.equal(account.hasWaiting, true)
  requests[0]?.grant(10n)
  await reserved
  assert.equal(account.hasWaiting, false)
})

test('a request that fits after a return of other servers is not refused at once', async () => {
  let others = 8n
  const account = newAccount(async () => ({
    granted: 0n,
    free: 4n,
    heldByOthers: others,
    heldByUnresponsive: 0n,
    at: 0,
    isCurrentPeriod: true,
    isLeaseEnded: true,
  }))
  const reserved = account.reserve(10n, 1000n)
  await turn()
  assert.equal(account.hasWaiting, true)
  others = 5n
  await account.serve()
  assert.equal(await reserved, 'spent')
})

test('a closed account returns its reserve too', async () => {
  const { account, requests } = openAccount()
  const reserved = account.reserve(10n, 1000n)
  requests[0]?.grant(50n)
  await reserved
  account.settle(10n, 0n)
  account.close()
  await turn()
  assert.equal(requests[1]?.report.held, 0n)
})
