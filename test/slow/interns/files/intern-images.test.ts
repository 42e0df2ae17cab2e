import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { runningIntern, say } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

/** The secret of an intern's own key, as its daemon has it. */
function keyOf({ testStore }: TestService, id: string): string {
  return JSON.parse(readFileSync(join(testStore.settings.data_dir, 'interns', id, 'daemon.json'), 'utf8')).secret
}

/** A generation of a turn: an intern's key cannot spend outside of one. */
async function generationOfTurn(service: TestService, internId: string): Promise<string> {
  await say(service, internId, 'Hi')
  const list = async () => (await service.manage('GET', '/generations')).body.data as { id: string }[]
  await until(async () => (await list()).length > 0)
  return (await list())[0]!.id
}

async function generationOf(service: TestService, key: string): Promise<string> {
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  const id = (await service.ask('POST', '/chat/completions', { key, body })).headers.get('x-generation-id')
  await until(async () => (await service.ask('GET', `/generation?id=${id}`)).status === 200)
  return id!
}

onOneDatabase('an intern’s own key', (kind) => {
  test('reads its own generations and no others, which answer like none', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service)
    const key = keyOf(service, id)
    const own = await generationOfTurn(service, id)
    const other = await generationOf(service, service.apiKey)
    const read = (generation: string) => service.ask('GET', `/generation?id=${generation}`, { key })
    assert.equal((await read(own)).status, 200)
    const [theirs, nobodys] = [await read(other), await read('gen-none')]
    assert.deepEqual([theirs.status, theirs.text], [404, nobodys.text])
  })

  test('reads the preset that it thinks with and no other', async () => {
    await using service = await startTestService({ kind })
    for (const slug of ['mine', 'theirs'])
      await service.manage('POST', `/presets/${slug}/responses`, { model: 'signalbox/demo', instructions: 'Help.' })
    const { id } = await runningIntern(service, { model: '@preset/mine' })
    const key = keyOf(service, id)
    const read = (path: string) => service.ask('GET', `/presets${path}`, { key })
    const listed = (await read('')).body
    assert.deepEqual([listed.data.map(({ slug }: { slug: string }) => slug), listed.total_count], [['mine'], 1])
    for (const path of ['/mine', '/mine/versions', '/mine/versions/1']) assert.equal((await read(path)).status, 200)
    for (const path of ['/theirs', '/theirs/versions', '/theirs/versions/1'])
      assert.equal((await read(path)).body.error.message, 'Preset "theirs" not found.')
    assert.equal((await service.ask('GET', '/presets')).body.total_count, 2)
  })

  test('reads no preset where it thinks with none', async () => {
    await using service = await startTestService({ kind })
    await service.manage('POST', '/presets/theirs/responses', { model: 'signalbox/demo' })
    const { id } = await runningIntern(service)
    assert.deepEqual((await service.ask('GET', '/presets', { key: keyOf(service, id) })).body.data, [])
  })
})
