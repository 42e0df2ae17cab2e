import { test } from 'node:test'
import { noOwnPostgres, startOwnPostgres } from '../harness/database/own-postgres.ts'
import { noProxy, type ProxyProgram } from './documented-proxy.ts'
import { assertUnnoticedRestarts } from './rolling-restart.ts'

const grace = { SHUTDOWN_GRACE_MS: '60000' }

/** The settings and the pause after a restart that docs/several-servers.md requires for each program. */
const cases: [ProxyProgram, { env: Record<string, string>; pauseMs?: number; maxResets?: number }][] = [
  ['haproxy', { env: { DRAIN_MS: '6000', ...grace } }],
  ['caddy', { env: { DRAIN_MS: '6000', ...grace } }],
  ['nginx', { env: { DRAIN_MS: '0', ...grace }, pauseMs: 3000, maxResets: 1 }],
]

for (const [program, options] of cases)
  test(`two servers behind ${program} restart in turn: no request fails`, {
    skip: noOwnPostgres || noProxy(program),
  }, async () => {
    await using postgres = await startOwnPostgres()
    await assertUnnoticedRestarts({ program, databaseUrl: postgres.url, perSecond: 60, ...options })
  })
