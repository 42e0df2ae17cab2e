import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { askAt } from '#test/harness/interns/intern-hosts.ts'
import { answer, daemonPid, isRunning, runningIntern, say, untilIntern } from '#test/harness/interns/interns.ts'
import { endDaemonsIn } from '#test/harness/service/leftovers.ts'
import { apiKey, askForWords, manage, managementKey } from '#test/harness/service/load/priced-servers.ts'
import { startProcess } from '#test/harness/service/server-process.ts'
import { until } from '#test/harness/until.ts'
import { oldVersion, startVersion } from './old-version.ts'

const { folder, skip } = oldVersion()

const centAWord = {
  'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 10_000 } } } },
}

/** A data folder on which an old server and then one of today's start. The agent is the old version's in both cases. */
function newPlace(stack: AsyncDisposableStack) {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-upgrade-'))
  stack.defer(() => rmSync(place, { recursive: true, force: true }))
  const dataDir = join(place, 'data')
  stack.defer(() => endDaemonsIn(dataDir))
  const catalogue = join(place, 'catalogue.json')
  writeFileSync(catalogue, JSON.stringify({ models: centAWord }))
  const settings = join(place, 'settings.json')
  const args = [join(folder, 'bin/scripted-agent.ts'), 'load']
  writeFileSync(settings, JSON.stringify({ agents: { scripted: { command: process.execPath, args } } }))
  const env = {
    CONFIG: settings,
    CATALOGUE_FILE: catalogue,
    DATA_DIR: dataDir,
    INTERN_USERS_FROM: '0',
    KEEP_INTERNS_RUNNING: 'true',
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
  }
  const start = async (isOld: boolean) => {
    const server = stack.use(isOld ? startVersion(folder, env) : startProcess(env))
    const url = await server.url
    return { server, url, ask: askAt(url) }
  }
  return { dataDir, start }
}

type Started = Awaited<ReturnType<ReturnType<typeof newPlace>['start']>>

const usdOf = async (url: string) =>
  (await manage(url, 'GET', '/activity')).data.reduce((sum: number, { usage }: { usage: number }) => sum + usage, 0)

const endOf = ({ ask }: Started, id: string, runId: string) =>
  until(async () => {
    const { data } = (await ask('GET', `/interns/${id}/runs/${runId}`)).body
    return data.status === 'ended' && data
  })

/** A key whose guardrail allows two cents a day. */
async function newLimitedKey(url: string): Promise<string> {
  const { key, data } = await manage(url, 'POST', '/keys', { name: 'limited' })
  const guardrail = await manage(url, 'POST', '/guardrails', { name: 'two cents', limit_usd: 0.02 })
  await manage(url, 'POST', `/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [data.hash] })
  assert.equal((await askForWords(url, 1, 1, false, key)).status, 200)
  return key
}

async function startRun({ ask }: Started, id: string, content: string): Promise<{ runId: string; sessionId: string }> {
  const body = { background: true, approval_mode: 'manual', messages: [{ role: 'user', content }] }
  const { data } = (await ask('POST', `/interns/${id}/chat/completions`, { body })).body
  return { runId: data.id, sessionId: data.session_id }
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`data and daemons of the old version continue after an upgrade by ${signal}`, { skip }, async () => {
    await using stack = new AsyncDisposableStack()
    const fixture = newPlace(stack)
    const old = await fixture.start(true)
    const limited = await newLimitedKey(old.url)
    const builtin = await runningIntern(old, { name: 'builtin' })
    const scripted = await runningIntern(old, { name: 'scripted', agent: 'scripted' })
    const first = await say(old, builtin.id, 'run `echo before > note.txt`', { approval_mode: 'self-drive' })
    const question = await say(old, scripted.id, 'permission shell allow_once reject_once\nmodel_says demo:words=2')
    const run = await startRun(old, scripted.id, 'stream 300 50\nsay whole')
    const daemons = [builtin, scripted].map(({ id }) => daemonPid(fixture.dataDir, id))
    const usd = await until(async () => (await usdOf(old.url)) || undefined)

    old.server.signal(signal)
    await old.server.ended
    assert.deepEqual(daemons.map(isRunning), [true, true])
    const today = await fixture.start(false)
    await untilIntern(today, builtin.id, 'running')
    await untilIntern(today, scripted.id, 'running')
    assert.deepEqual(
      [builtin, scripted].map(({ id }) => daemonPid(fixture.dataDir, id)),
      daemons,
    )
    assert.ok((await usdOf(today.url)) >= usd)

    const answered = await answer(today, scripted.id, question, 'allow_once')
    assert.match(answered.text, /\[allow_once-0\]word1 word2/)
    const ended = await endOf(today, scripted.id, run.runId)
    assert.equal(ended.outcome, 'finished')
    const transcript = (await today.ask('GET', `/interns/${scripted.id}/sessions/${run.sessionId}`)).text
    assert.match(transcript, /word0 word1 .*word299 whole/)
    const priced = await startRun(today, scripted.id, 'model_says demo:words=1')
    assert.equal((await endOf(today, scripted.id, priced.runId)).cost_usd, 0.01)
    const next = await say(today, builtin.id, 'run `cat note.txt`', {
      approval_mode: 'self-drive',
      session_id: first.sessionId,
    })
    assert.match(next.text, /before/)
    assert.equal((await askForWords(today.url, 1, 1, false, limited)).status, 200)
    assert.notEqual((await askForWords(today.url, 1, 1, false, limited)).status, 200)
  })
