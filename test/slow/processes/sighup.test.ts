import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-sighup-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

type Model = { data: { context_length: number } }

const key = `sb-v1-${'d'.repeat(64)}`
const file = join(scratch, 'mine.yaml')
const write = (tokens: string) => writeFileSync(file, `models: { signalbox/demo: { context_length: ${tokens} } }`)

for (const workers of ['1', '3'])
  test(`SIGHUP loads a valid catalogue and ignores an invalid one (${workers} workers)`, async () => {
    write('1000')
    const env = {
      DATA_DIR: join(scratch, `data${workers}`),
      CATALOGUE_FILE: file,
      BOOTSTRAP_API_KEY: key,
      LOG_FORMAT: 'json',
    }
    await using server = startProcess({ ...env, WORKERS: workers })
    const url = `${await server.url}/model/signalbox/demo`
    // Each on a separate connection, so that every worker gets one; a worker can apply a reload later than another.
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    const contexts = async () => {
      const responses = Array.from({ length: 20 }, async () => (await fetch(url, { headers })).json())
      return new Set((await Promise.all(responses)).map((response) => (response as Model).data.context_length))
    }
    assert.deepEqual(await contexts(), new Set([1000]))
    write('2000')
    server.signal('SIGHUP')
    await until(async () => (await contexts()).has(2000))
    write('[')
    server.signal('SIGHUP')
    await until(() => server.err().includes('The catalogue was not changed: '))
    await until(async () => isDeepStrictEqual(await contexts(), new Set([2000])))
    assert.doesNotMatch(server.err(), /\bat .*:\d+:\d+/)
  })

test('SIGHUP to a server that is still starting does not end it', async () => {
  const data = join(scratch, 'starting')
  await using server = startProcess({ DATA_DIR: data, BOOTSTRAP_API_KEY: key, LOG_FORMAT: 'json' })
  await until(() => existsSync(join(data, 'server.pid')))
  server.signal('SIGHUP')
  await server.url
  await until(() => server.err().includes('catalogue reloaded'))
})
