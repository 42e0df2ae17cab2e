import assert from 'node:assert/strict'
import { appendFileSync, linkSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runningIntern } from '../harness/interns/interns.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { addColleague } from '../harness/service/world/colleague.ts'

const fileOf = (service: TestService, id: string) =>
  join(service.testStore.settings.data_dir!, 'interns', id, 'daemon.log')
const logOf = async (service: TestService, id: string, query = '') => {
  const response = await service.ask('GET', `/interns/${id}/log${query}`)
  assert.equal(response.status, 200, response.text)
  return response.body.data as { lines: string[]; has_more: boolean; message: string | null }
}

test('the log of an intern is readable during and after its run', async () => {
  await using service = await startTestService()
  const created = await service.ask('POST', '/interns', { body: { name: 'eve', provision: false } })
  assert.deepEqual(await logOf(service, created.body.id), {
    ...{ lines: [], has_more: false, message: 'It has not been started yet.' },
  })
  const { id } = await runningIntern(service)
  appendFileSync(fileOf(service, id), 'said while it runs\n')
  assert.ok((await logOf(service, id)).lines.includes('said while it runs'))
  await service.ask('POST', `/interns/${id}/suspend`)
  const { lines, message } = await logOf(service, id)
  assert.ok(lines.includes('said while it runs'))
  assert.equal(message, null)
})

test('a long log returns the requested last lines and that there are more', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} ${'x'.repeat(100)}`)
  writeFileSync(fileOf(service, id), `${lines.join('\n')}\n`)
  const some = await logOf(service, id, '?lines=3')
  assert.deepEqual([some.lines, some.has_more], [lines.slice(-3), true])
  const much = await logOf(service, id, '?lines=5000&bytes=262144')
  assert.deepEqual(much.lines, lines.slice(-much.lines.length))
  const bytes = Buffer.byteLength(much.lines.map((line) => `${line}\n`).join(''))
  assert.ok(bytes <= 262_144 && bytes > 262_144 - 200, `${bytes}`)
  truncateSync(fileOf(service, id))
  assert.deepEqual(await logOf(service, id), { lines: [], has_more: false, message: null })
  const one = 'ä'.repeat(200_000)
  appendFileSync(fileOf(service, id), one)
  const cut = await logOf(service, id, '?bytes=1024')
  assert.deepEqual([cut.lines, cut.has_more], [['ä'.repeat(512)], true])
  for (const query of ['?lines=0', '?lines=5001', '?bytes=10', '?bytes=1e9', '?lines=x'])
    assert.equal((await service.ask('GET', `/interns/${id}/log${query}`)).status, 400, query)
})

test('secrets of the intern are masked everywhere', async () => {
  const agents = { scripted: { command: 'true', args: [], env: { TOKEN: 'of-the-agent' } } }
  await using service = await startTestService({ settings: { agents, repository_origins: ['https://git.test'] } })
  const tracker = { name: 'tracker', url: 'https://tracker.test/mcp', headers: { 'x-token': 'tr-7Qd2vTn9' } }
  const repository = { url: 'https://git.test/a.git', credential: { password: 'pw-of-repository' } }
  const body = { name: 'ada', agent: 'scripted', provision: false, mcp_servers: [tracker], repository }
  const created = await service.ask('POST', '/interns', { body })
  assert.equal(created.status, 201, created.text)
  const file = fileOf(service, created.body.id)
  mkdirSync(dirname(file), { recursive: true })
  const text = `tr-7Qd2vTn9, of-the-agent, pw-of-repository, ${service.apiKey}`
  writeFileSync(file, `${text}\n${text} ${'x'.repeat(1000)}\n`)
  const masked = '[secret], [secret], [secret], [secret]'
  assert.deepEqual((await logOf(service, created.body.id)).lines, [masked, `${masked} ${'x'.repeat(1000)}`])
  const last = `${masked} ${'x'.repeat(960)}`
  writeFileSync(file, `${text}\n${text} ${'x'.repeat(960)}\n`)
  assert.deepEqual((await logOf(service, created.body.id, '?bytes=1024')).lines, [last])
  // The line is much longer than the part that is read.
  writeFileSync(file, `${text} `.repeat(10_000))
  const { lines } = await logOf(service, created.body.id, '?bytes=65536')
  assert.equal(lines.length, 1)
  // It may begin in the midst of a mask.
  assert.ok('[secret]'.endsWith(lines[0]!.replaceAll('[secret]', '').replace(/[, ]/g, '')))
})

test('nothing else is read in the place of a log', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const file = fileOf(service, id)
  const secret = join(service.testStore.settings.data_dir!, 'secret')
  writeFileSync(secret, 'of the service')
  for (const put of [symlinkSync, linkSync]) {
    rmSync(file)
    put(secret, file)
    const { lines, message } = await logOf(service, id)
    assert.deepEqual([lines, message], [[], 'Its log file was replaced.'])
  }
})

test('a user without access to an intern does not find its log', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service, { visibility: 'creator' })
  const grace = await addColleague(service)
  assert.equal((await grace.ask('GET', `/interns/${id}/log`)).status, 404)
})
