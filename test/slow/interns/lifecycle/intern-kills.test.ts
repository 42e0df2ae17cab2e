import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { hasGit, startGitServer } from '../../../harness/interns/git-server.ts'
import { daemonPid, isRunning, runningIntern, say, untilIntern } from '../../../harness/interns/interns.ts'
import {
  type KilledInterns,
  type KilledServer,
  keysOfInterns,
  killedInterns,
  processesIn,
} from '../../../harness/interns/killed-interns.ts'
import { killServer } from '../../../harness/money/money-kills.ts'
import { until } from '../../../harness/until.ts'

const agent = 'scripted'

/** A server that is killed at a call of Node's, and its requests meanwhile; then the next one. */
async function killedWhile(
  w: KilledInterns,
  KILL_AT: string,
  work: (server: KilledServer) => Promise<unknown>,
): Promise<KilledServer> {
  const first = await w.start({ KILL_AT })
  await work(first).catch(() => {})
  assert.equal(await first.server.ended, 'SIGKILL')
  return w.start()
}

const homesIn = ({ testStore }: KilledInterns) => join(testStore.settings.data_dir, 'interns')
const onlyIntern = async ({ ask }: KilledServer): Promise<string> => (await ask('GET', '/interns')).body.data[0].id

/** It runs once, accepts turns, and has one key. */
async function acceptsTurns(w: KilledInterns, server: KilledServer, id: string): Promise<void> {
  await untilIntern(server, id, 'running')
  const turn = await say(server, id, 'model_says one\nsay done')
  assert.deepEqual([turn.finish, turn.error], ['stop', undefined])
  const daemons = () => processesIn(join(homesIn(w), id, 'settings.json'))
  assert.deepEqual(daemons(), [daemonPid(w.testStore.settings.data_dir, id)])
  assert.equal(await keysOfInterns(w.testStore), 1)
  assert.deepEqual(readdirSync(homesIn(w)), [id])
}

const provisioning = [
  'before mkdirSync /interns/',
  'before writeFileSync /settings.json',
  'before spawn settings.json',
  'after spawn settings.json',
  'after renameSync daemon.json.new',
]

/** The scenario with an intern that ran before; its server was killed, too. */
async function withIntern(w: KilledInterns, env = {}): Promise<string> {
  const { server, ask } = await w.start(env)
  const { id } = await runningIntern({ ask } as never, { agent })
  if ('INTERN_IDLE_MS' in env) await until(async () => (await ask('GET', `/interns/${id}`)).body.asleep_since)
  server.signal('SIGKILL')
  await server.ended
  return id
}

onOneDatabase('a server that is killed', (kind) => {
  for (const moment of provisioning)
    test(`while it provisions an intern, ${moment}: the intern starts once`, async () => {
      await using w = await killedInterns(kind)
      const server = await killedWhile(w, moment, ({ ask }) =>
        ask('POST', '/interns', { body: { name: 'ada', agent, provision: true } }),
      )
      await acceptsTurns(w, server, await onlyIntern(server))
    })

  test('while it wakes an intern: the intern starts once, and gets the next prompt', async () => {
    await using w = await killedInterns(kind)
    const id = await withIntern(w, { INTERN_IDLE_MS: '1' })
    const server = await killedWhile(w, 'after spawn settings.json', (it) => say(it, id, 'say hello'))
    await acceptsTurns(w, server, id)
  })

  for (const moment of ['before', 'after'])
    test(`while it suspends an intern, ${moment} its end is stored: it can start again`, async () => {
      await using w = await killedInterns(kind)
      const id = await withIntern(w)
      const server = await killedWhile(w, `${moment} renameSync daemon.json.new`, ({ ask }) =>
        ask('POST', `/interns/${id}/suspend`),
      )
      await untilIntern(server, id, 'stopped')
      await until(() => processesIn(homesIn(w)).length === 0)
      await server.ask('POST', `/interns/${id}/provision`)
      await acceptsTurns(w, server, id)
    })

  for (const moment of ['before', 'after'])
    test(`while it deletes an intern, ${moment} its folder is removed: nothing remains`, async () => {
      await using w = await killedInterns(kind)
      const id = await withIntern(w)
      const server = await killedWhile(w, `${moment} rm /interns/`, ({ ask }) => ask('DELETE', `/interns/${id}`))
      await until(async () => (await server.ask('GET', `/interns/${id}`)).status === 404)
      assert.deepEqual(
        [processesIn(homesIn(w)), readdirSync(homesIn(w)), await keysOfInterns(w.testStore)],
        [[], [], 0],
      )
    })
})

describe('a server that is killed while it clones a repository', {
  skip: hasGit ? false : 'git is not installed',
}, () => {
  const repositoryOf = (url: string) => ({ body: { name: 'ada', agent, provision: true, repository: { url } } })

  for (const moment of [
    'after spawn clone',
    'before renameSync clone',
    'after renameSync clone',
    'before spawn checkout',
  ])
    test(`${moment}: the intern starts with the whole repository`, async () => {
      await using git = await startGitServer({ 'README.md': 'Widgets.\n' })
      await using w = await killedInterns('sqlite', { repository_origins: [git.origin] })
      const server = await killedWhile(w, moment, ({ ask }) => ask('POST', '/interns', repositoryOf(git.url)))
      const id = await onlyIntern(server)
      await acceptsTurns(w, server, id)
      assert.equal(readFileSync(join(homesIn(w), id, 'workspace/widgets/README.md'), 'utf8'), 'Widgets.\n')
    })

  test('of a silent server: the clone is ended when the next one begins', async () => {
    await using silent = await startSilentServer()
    await using w = await killedInterns('sqlite', { repository_origins: [silent.origin] })
    const first = await w.start()
    await first.ask('POST', '/interns', repositoryOf(`${silent.origin}/a/widgets.git`))
    const clones = await until(() => {
      const found = processesIn(`${silent.origin}/a`)
      return found.length > 0 && found
    })
    await killServer(first.server)
    assert.ok(clones.some(isRunning), 'the clone continues without the server')
    await w.start()
    await until(() => !clones.some(isRunning))
  })
})

/** It accepts connections, and never answers. */
async function startSilentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
