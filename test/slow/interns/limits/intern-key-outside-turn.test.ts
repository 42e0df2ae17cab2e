import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasSubReaper } from '#agent/sandbox/sub-reaper.ts'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { isRunning, runningIntern, say } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

/** Every request costs ten cents, which no turn of the tests can exceed twice. */
const catalogue = {
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 0, request: 0.1 } } } } },
}

/**
 * Finds the key of its intern in the environments of processes, waits until the file `over` exists, and then sends 40 requests.
 * It writes the statuses of the answers to the file `statuses`.
 */
const leftBehind = `
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
const environments = readdirSync('/proc').filter(Number).flatMap((pid) => {
  try { return [readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0')] } catch { return [] }
})
const [folder, url, intern] = process.argv.slice(2)
const own = environments.find((names) => names.some((each) => each.startsWith('SIGNALBOX_API_KEY=')) && names.join().includes(intern))
const key = own?.find((each) => each.startsWith('SIGNALBOX_API_KEY=')).slice('SIGNALBOX_API_KEY='.length)
const ask = () => fetch(url + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'signalbox/demo', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
}).then(({ status }) => status)
writeFileSync(folder + '/started', String(process.pid))
while (!existsSync(folder + '/over')) await new Promise((resolve) => setTimeout(resolve, 5))
const statuses = []
for (let at = 0; at < 40; at++) statuses.push(await ask())
writeFileSync(folder + '/statuses', JSON.stringify({ found: key !== undefined, statuses }))
`

type Where = { service: TestService; id: string; folder: string }

async function startPriced(kind: Parameters<Parameters<typeof onOneDatabase>[1]>[0], settings: object) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-left-behind-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogue))
  writeFileSync(join(folder, 'left-behind.mjs'), leftBehind)
  const service = await startTestService({ kind, settings: { intern_users_from: 0, catalogue_file, ...settings } })
  const end = async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  return { service, folder, [Symbol.asyncDispose]: end }
}

/** A command that starts the left-behind program with a cleared environment, in its own session, as an orphan. */
const leaving = ({ service, id, folder }: Where) =>
  `env -i PATH="$PATH" setsid nohup "${process.execPath}" ${folder}/left-behind.mjs ${folder} ${service.url} ${id} >/dev/null 2>&1 & until [ -e ${folder}/started ]; do sleep 0.05; done; echo started`

/** The statuses that the key of an intern gets for requests of the test itself. */
async function statusesOf({ service, id }: Where, paths: string[]): Promise<number[]> {
  const key = keyOf(id)
  const body = JSON.stringify({
    ...{ model: 'signalbox/demo', max_tokens: 10 },
    ...{ input: 'hi', messages: [{ role: 'user', content: 'hi' }] },
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return Promise.all(
    paths.map(async (path) => (await fetch(`${service.url}${path}`, { method: 'POST', headers, body })).status),
  )
}

/** The key as the intern's agent has it in its environment. */
function keyOf(id: string): string {
  const environments = readdirSync('/proc').filter(Number).map(environmentOf)
  const own = environments.find((each) => each.includes('SIGNALBOX_API_KEY=') && each.includes(id))
  return /SIGNALBOX_API_KEY=([^\0]+)/.exec(own!)![1]!
}

function readIfPresent(file: string): { found?: boolean; statuses?: number[] } {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

onOneDatabase("an intern's key", (kind) => {
  for (const budget of [{ max_cost_usd: 5, session_max_cost_usd: 5 }, null])
    test(`is refused outside of a turn, ${budget ? 'with' : 'without'} a budget`, async () => {
      await using fixture = await startPriced(kind, {})
      const { service } = fixture
      const { id } = await runningIntern(service, { budget })
      const paths = ['/chat/completions', '/responses', '/messages']
      await say(service, id, 'hello', { approval_mode: 'self-drive' })
      assert.deepEqual(await statusesOf({ ...fixture, id }, paths), [403, 403, 403])
    })
})

for (const [groups, budget] of [
  ['true', { max_cost_usd: 5, session_max_cost_usd: 5 }],
  ['false', null],
] as const)
  test(`an orphan of a command spends nothing after the turn, control groups ${groups}`, async () => {
    await using fixture = await startPriced('sqlite', { intern_control_groups: groups })
    const { service, folder } = fixture
    const { id } = await runningIntern(service, { budget })
    const { text } = await say(service, id, `run \`${leaving({ ...fixture, id })}\``, { approval_mode: 'self-drive' })
    assert.match(text, /started/)
    writeFileSync(join(folder, 'over'), '')
    const pid = Number(readFileSync(join(folder, 'started'), 'utf8'))
    await until(() => !isRunning(pid) || existsSync(join(folder, 'statuses')))
    const { statuses = [] } = readIfPresent(join(folder, 'statuses'))
    const accepted = statuses.filter((status) => status !== 403)
    assert.deepEqual(accepted, [])
    if (hasSubReaper) await until(() => !isRunning(pid))
  })
