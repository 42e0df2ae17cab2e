import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { newTestStore, type TestStore } from '../../harness/database/databases.ts'
import { askForWords, startPriced, usdOfWord } from '../../harness/service/load/priced-servers.ts'
import type { ServerProcess } from '../../harness/service/server-process.ts'

const skip = spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit is not installed'

/** Sets whether files of these processes can grow. `0` has the effect of a full disk. */
function setRoom(pids: number[], room: '0' | 'unlimited'): void {
  for (const pid of pids) {
    const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${room}:`], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
}

const withWorkers = ({ pid }: ServerProcess) => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
]

/** A server whose disk is full, and has answered five requests since. */
async function startOnFullDisk(testStore: TestStore, env = {}): Promise<ServerProcess> {
  const [server] = await startPriced(testStore, 1, undefined, env)
  setRoom(withWorkers(server!), '0')
  for (let requestCount = 0; requestCount < 5; requestCount++)
    assert.equal((await askForWords(await server!.url, 2)).status, 200)
  return server!
}

for (const [what, env] of [
  ['one process', {}],
  ['two workers', { WORKERS: '2' }],
] as const)
  test(`a record that cannot be stored is reported with its cost at the end: ${what}`, {
    skip,
  }, async () => {
    const testStore = await newTestStore('sqlite')
    await using stack = new AsyncDisposableStack()
    stack.defer(testStore.remove)
    const server = stack.use(await startOnFullDisk(testStore, env))
    server.signal('SIGTERM')
    assert.equal(await server.ended, 1, server.err())
    const results = [...server.err().matchAll(/^.*are lost.*$/gm)].map(([line]) => JSON.parse(line))
    const sum = (of: (line: any) => number) => results.reduce((total, line) => total + of(line), 0)
    assert.equal(
      sum(({ requests }) => requests),
      5,
    )
    assert.equal(
      sum(({ cost_usd }) => Math.round(cost_usd / usdOfWord)),
      10,
    )
  })

test('a disk that has room again before the end is over loses nothing', { skip }, async () => {
  const testStore = await newTestStore('sqlite')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const server = stack.use(await startOnFullDisk(testStore))
  setRoom(withWorkers(server), 'unlimited')
  server.signal('SIGTERM')
  assert.equal(await server.ended, 0, server.err())
  const db = await openDb({ ...testStore.settings, data_dir: join(testStore.settings.data_dir, 'data') })
  stack.defer(db.close)
  assert.equal((await db.query.selectFrom('generations').select('id').execute()).length, 5)
})
